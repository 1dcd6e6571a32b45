package dev.holdfast.postgres.embedded;

import dev.holdfast.process.ProgramUser;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Under whose name the server runs. PostgreSQL refuses root, so root hands it to somebody else.
 *
 * @param prefix what to put before a command
 * @param uid who must own the data directory, as seen from outside
 */
record EmbeddedServerAccount(List<String> prefix, int uid) {
  private static final int NOBODY = 65534;

  /** A user namespace of its own: outside it is still root, so that root's files stay root's. */
  static final EmbeddedServerAccount NAMESPACE =
      new EmbeddedServerAccount(List.of("unshare", "--user"), 0);

  /**
   * For containers that forbid namespaces: nobody, but with root's way into directories. The
   * binaries must be open to everybody all the same, for the system call that PostgreSQL asks for
   * permission knows no capabilities.
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

  /** The accounts to try, best first. */
  static List<EmbeddedServerAccount> candidates() {
    int uid = ProgramUser.ownUid();
    return uid == 0
        ? List.of(NAMESPACE, UNPRIVILEGED)
        : List.of(new EmbeddedServerAccount(List.of(), uid));
  }

  /**
   * The first account that can run these binaries.
   *
   * @throws EmbeddedServerException if none can
   */
  static EmbeddedServerAccount choose(
      List<EmbeddedServerAccount> candidates, EmbeddedServerBinaries binaries) {
    List<String> reasons = new ArrayList<>();
    for (EmbeddedServerAccount account : candidates) {
      try {
        EmbeddedServerCommand.Result result =
            EmbeddedServerCommand.run(
                account.command(binaries.program("initdb"), "--show", "--pgdata=none"));
        if (result.succeeded()) {
          return account;
        }
        reasons.add(result.reason());
      } catch (IOException e) {
        reasons.add(String.valueOf(e.getMessage()));
      }
    }
    throw new EmbeddedServerException(
        "PostgreSQL's binaries do not run here ("
            + String.join("; ", reasons)
            + "); run as a normal user who has a line in /etc/passwd, or install PostgreSQL 15 or"
            + " newer and set HOLDFAST_DATABASE_URL");
  }

  List<String> command(String... words) {
    List<String> command = new ArrayList<>(prefix);
    command.addAll(List.of(words));
    return command;
  }
}
