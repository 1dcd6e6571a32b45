package dev.holdfast.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** {@code holdfast migrate}. */
@Command(
    name = "migrate",
    description =
        "Create or update the database schema. Harmless when repeated, and beside running workers.",
    footer = {
      "",
      "Example:",
      "  HOLDFAST_DATABASE_URL=postgres://ann:secret@db/work holdfast migrate"
    })
final class MigrateCommand implements Callable<Integer> {
  private final HoldfastCommand root;

  MigrateCommand(HoldfastCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() {
    try (Backend backend = root.open()) {
      Backend.Migrated migrated = backend.migrate();
      root.terminal()
          .line(
              migrated.applied() == 0
                  ? "the schema is up to date at version " + migrated.version()
                  : "ran "
                      + migrated.applied()
                      + " migrations; the schema is at version "
                      + migrated.version());
      CheckResult encoding = Checks.encoding(backend.checkup().server().encoding());
      if (encoding.status() != CheckResult.Status.OK) {
        root.terminal().progress(encoding.line());
      }
      return ExitCode.DONE;
    }
  }
}
