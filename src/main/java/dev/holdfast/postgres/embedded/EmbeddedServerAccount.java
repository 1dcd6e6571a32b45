package dev.holdfast.postgres.embedded;

import dev.holdfast.process.ProgramUser;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/**
 * The account under which the server runs. PostgreSQL refuses root, so root hands it to another
 * account.
 *
 * @param prefix what to put before a command
 * @param uid who must own the data directory, as seen from outside
 */
record EmbeddedServerAccount(List<String> prefix, int uid) {
  private static final int NOBODY = 65534;
  private static final int LOOKS = 5;
  private static final Duration LOOK_AGAIN = Duration.ofMillis(100);

  /** A user namespace of its own: outside it is still root, so that root's files stay root's. */
  static final EmbeddedServerAccount NAMESPACE =
      new EmbeddedServerAccount(List.of("unshare", "--user"), 0);

  /**
   * The account nobody, with root's access to directories, for containers that forbid namespaces.
   * The binaries must be open to everybody all the same, because the system call by which
   * PostgreSQL checks permission ignores capabilities.
   */
  static final EmbeddedServerAccount UNPRIVILEGED =
      new EmbeddedServerAccount(
          List.of(
              "setpriv",
              "--reuid=" + NOBODY,
              "--regid=" + NOBODY,
              "--clear-groups",
              "--inh-caps=+dac_override",
              "--ambient-caps=+dac_override"),
          NOBODY);

  EmbeddedServerAccount {
    prefix = List.copyOf(prefix);
  }

  /** Returns the accounts to try, best first. */
  static List<EmbeddedServerAccount> candidates() {
    int uid = ProgramUser.ownUid();
    return uid == 0
        ? List.of(NAMESPACE, UNPRIVILEGED)
        : List.of(new EmbeddedServerAccount(List.of(), uid));
  }

  /**
   * Returns the first account that can run these binaries. They may have been unpacked a moment
   * ago, and Linux runs no program that is open for writing: a process that another thread starts
   * in that moment holds them open for an instant. So it looks again before it says that none can.
   *
   * @throws EmbeddedServerException if none can
   */
  static EmbeddedServerAccount choose(
      List<EmbeddedServerAccount> candidates, EmbeddedServerBinaries binaries) {
    List<String> reasons = new ArrayList<>();
    for (int look = 0; look < LOOKS; look++) {
      LockSupport.parkNanos(look == 0 ? 0 : LOOK_AGAIN.toNanos());
      reasons.clear();
      for (EmbeddedServerAccount account : candidates) {
        Optional<String> reason = account.reasonAgainst(binaries);
        if (reason.isEmpty()) {
          return account;
        }
        reasons.add(reason.get());
      }
    }
    throw new EmbeddedServerException(
        "PostgreSQL's binaries do not run here ("
            + String.join("; ", reasons)
            + "); run as a normal user who has a line in /etc/passwd, or install PostgreSQL 15 or"
            + " newer and set HOLDFAST_DATABASE_URL");
  }

  /** Returns why it cannot run these binaries; nothing if it can. */
  private Optional<String> reasonAgainst(EmbeddedServerBinaries binaries) {
    try {
      EmbeddedServerCommand.Result result =
          EmbeddedServerCommand.run(command(binaries.program("initdb"), "--show", "--pgdata=none"));
      return result.succeeded() ? Optional.empty() : Optional.of(result.reason());
    } catch (IOException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    }
  }

  List<String> command(String... words) {
    List<String> command = new ArrayList<>(prefix);
    command.addAll(List.of(words));
    return command;
  }
}
