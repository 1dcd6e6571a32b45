package dev.holdfast.cli.admin;

import dev.holdfast.process.ProgramUser;
import dev.holdfast.queue.read.TicketReader;
import dev.holdfast.queue.read.TicketRow;
import dev.holdfast.repair.git.LeftWorktrees;
import dev.holdfast.tool.sandbox.SandboxState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** The checks of this machine in {@code holdfast doctor}. The workers may be on another machine. */
final class MachineChecks {
  private static final long MIB = 1 << 20;

  /** The most worktrees in one command line. The next call names the others. */
  private static final int WORKTREES_SHOWN = 10;

  private static final Set<String> UNFINISHED = Set.of("ready", "in_progress");

  private MachineChecks() {}

  /**
   * Checks the encoding. In any other than UTF-8, Java can use only a part of all characters in
   * arguments of programs and in names of files.
   */
  static CheckResult java() {
    String names = System.getProperty("sun.jnu.encoding", "unknown");
    String detail =
        "Java %s with at most %s MiB of heap, %s in names and arguments"
            .formatted(Runtime.version(), Runtime.getRuntime().maxMemory() / MIB, names);
    return names.equals("UTF-8")
        ? CheckResult.ok("java", detail)
        : CheckResult.warn("java", detail, "for all characters, in the worker's environment")
            .by("export LANG=C.UTF-8");
  }

  /**
   * @param roots where workers make directories
   */
  static CheckResult directories(Collection<Path> roots) {
    for (Path root : roots) {
      Path place = existing(root);
      if (!Files.isDirectory(place) || !Files.isWritable(place)) {
        String user = ProgramUser.ownName();
        return CheckResult.warn(
                "directories",
                user + " cannot make " + root.toAbsolutePath().normalize(),
                "unless this is not the workers' user, as root")
            .by("install -d -o " + user + " " + quoted(root.toAbsolutePath().normalize()));
      }
    }
    return CheckResult.ok("directories", "workers can make theirs");
  }

  /**
   * @param commandUser the user as whom the programs of command designs run; empty: the worker's
   *     own user
   */
  static CheckResult user(String commandUser) {
    String user = ProgramUser.ownName();
    if (!ProgramUser.isRoot()) {
      return CheckResult.ok("user", user + ", who is not root");
    }
    return commandUser.isEmpty()
        ? CheckResult.warn(
            "user",
            "root: a program of a command design can read the memory and the files of its worker",
            "run workers as a user of their own, or set handlers.command.user")
        : CheckResult.ok("user", "root; the programs of command designs run as " + commandUser);
  }

  static CheckResult sandbox(SandboxState state) {
    String detail = state.words();
    return switch (state.level()) {
      case CONFINED -> CheckResult.ok("sandbox", detail);
      case REFUSED ->
          CheckResult.fail(
              "sandbox", detail, state.remedy() + "; tickets that need it are held until then");
      case UNCONFINED -> CheckResult.warn("sandbox", detail, state.remedy());
      case OFF ->
          CheckResult.warn(
                  "sandbox",
                  detail,
                  "unless a container confines them, set tools.sandbox to required, or in the"
                      + " environment")
              .by("export HOLDFAST_TOOLS_SANDBOX=required");
    };
  }

  /**
   * @param places files or directories that grow; one that is not there yet counts as its parent
   * @param leastMib how much must be free
   */
  static CheckResult disk(Collection<Path> places, long leastMib) {
    List<String> seen = new ArrayList<>();
    Set<Path> existing = new LinkedHashSet<>();
    places.forEach(place -> existing.add(existing(place)));
    for (Path place : existing) {
      try {
        long free = Files.getFileStore(place).getUsableSpace() / MIB;
        if (free < leastMib) {
          return CheckResult.warn(
                  "disk",
                  free + " MiB are free for " + place + ", less than " + leastMib,
                  "make room; what is large there is told by")
              .by("du -xhd1 " + quoted(place));
        }
        seen.add(free + " MiB for " + place);
      } catch (IOException e) {
        // The place belongs to another user; it is mostly a server's data directory.
        seen.add("unknown for " + place);
      }
    }
    return CheckResult.ok("disk", "free are " + String.join(", ", seen));
  }

  private static Path existing(Path place) {
    Path there = place.toAbsolutePath().normalize();
    while (!Files.exists(there) && there.getParent() != null) {
      there = there.getParent();
    }
    return there;
  }

  /** Finds worktrees that are left. A ticket that will run again removes its own. */
  static CheckResult worktrees(Path root, TicketReader tickets) {
    List<LeftWorktrees> left;
    try {
      left = LeftWorktrees.in(root);
    } catch (IOException e) {
      return CheckResult.skip(
          "worktrees", "cannot read " + root + ": " + e, "run doctor as the worker's user");
    }
    List<LeftWorktrees> orphans =
        left.stream()
            .filter(
                each ->
                    tickets
                        .find(each.ticketId())
                        .map(TicketRow::state)
                        .filter(UNFINISHED::contains)
                        .isEmpty())
            .toList();
    if (orphans.isEmpty()) {
      return CheckResult.ok("worktrees", "none is left of a repair that has ended");
    }
    StringBuilder command = new StringBuilder("rm -rf");
    orphans.stream()
        .limit(WORKTREES_SHOWN)
        .flatMap(each -> each.directories().stream())
        .forEach(directory -> command.append(' ').append(quoted(directory)));
    return CheckResult.warn(
            "worktrees",
            String.format(
                Locale.ROOT,
                "%d tickets whose repairs have ended left worktrees in %s",
                orphans.size(),
                root.toAbsolutePath().normalize()),
            "delete them")
        .by(command.toString());
  }

  private static String quoted(Path path) {
    String text = path.toString();
    return text.matches("[A-Za-z0-9_./-]+") ? text : "'" + text.replace("'", "'\\''") + "'";
  }
}
