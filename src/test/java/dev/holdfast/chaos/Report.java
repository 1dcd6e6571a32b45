package dev.holdfast.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import java.util.OptionalDouble;

/**
 * A run's result.
 *
 * @param faults how many things were broken
 * @param stale results of live workers that came too late, and were refused
 * @param ghosts results under leases that were over, refused
 * @param accepted those that were not
 * @param released tickets that were held for deaths of the harness's making, and released
 * @param baseline tickets done per second before
 * @param during the same while things went wrong
 * @param recovery seconds from the end of the last fault to 90 % of the baseline
 */
record Report(
    Options options,
    Account account,
    int faults,
    long stale,
    int ghosts,
    int accepted,
    int released,
    double baseline,
    double during,
    OptionalDouble recovery) {
  private static final Path FILE = Path.of("target", "chaos.md");

  /** The row of the table in docs/reliability.md. */
  String row() {
    return String.format(
        Locale.ROOT,
        "| %s | %d | %.0f | %d | %d | %d | %d | %d | %d + %d | %d: %s | %d | %.0f | %.0f | %s |",
        options.cell(),
        options.length().toSeconds(),
        options.perSecond(),
        faults,
        account.tickets(),
        account.executions(),
        account.lost().size(),
        account.twice().size(),
        stale,
        ghosts,
        account.duplicates(),
        account.explained().isEmpty() ? "none" : account.explained(),
        account.unexplained().size(),
        baseline,
        during,
        recovery.isPresent()
            ? String.format(Locale.ROOT, "%.1f", recovery.getAsDouble())
            : "never");
  }

  void publish() throws IOException {
    System.out.println(row() + " seed " + options.seed() + ", released " + released);
    Files.writeString(FILE, row() + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  /**
   * @param goesOn the share of the rate before that had to go on meanwhile
   */
  void verify(double goesOn) {
    String repeat = "repeat it with: " + options.command() + "\n" + account;
    assertThat(account.lost()).as("lost; %s", repeat).isEmpty();
    assertThat(account.twice()).as("finished twice; %s", repeat).isEmpty();
    assertThat(account.foreign()).as("results of another execution; %s", repeat).isEmpty();
    assertThat(accepted).as("late results that were not refused; %s", repeat).isZero();
    assertThat(account.unexplained()).as("executions without a reason; %s", repeat).isEmpty();
    assertThat(during)
        .as("tickets per second meanwhile; %s", repeat)
        .isGreaterThanOrEqualTo(goesOn * baseline);
    assertThat(recovery).as("90 %% of the baseline again; %s", repeat).isPresent();
  }
}
