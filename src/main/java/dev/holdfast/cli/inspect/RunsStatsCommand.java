package dev.holdfast.cli.inspect;

import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.JsonOutput;
import dev.holdfast.cli.output.TextTable;
import dev.holdfast.cli.root.HoldfastCommand;
import dev.holdfast.repair.trace.RunStats;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code holdfast runs stats}. */
@Command(
    name = "stats",
    description =
        "Sum up the runs of repair tickets: retries, iterations, escalations, diagnoses, judges,"
            + " candidates, and which of them are worth an alert.",
    footer = {
      "",
      "Examples:",
      "  holdfast runs stats --since 7d",
      "  holdfast runs stats --json | jq .alerts"
    })
final class RunsStatsCommand implements Callable<Integer> {
  private final HoldfastCommand root;

  @Mixin private final RunsSource source = new RunsSource();

  @Option(names = "--json", description = "Print one JSON object: the figures and alerts.")
  private boolean json;

  RunsStatsCommand(HoldfastCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() {
    RunStats stats = RunStats.of(source.events(root));
    if (json) {
      Map<String, @Nullable Object> object = JsonOutput.columns(stats);
      object.put("alerts", stats.alerts());
      root.terminal().line(JsonOutput.of(object));
    } else {
      print(stats);
    }
    return ExitCode.DONE;
  }

  private void print(RunStats stats) {
    List<RunStats.Alert> alerts = stats.alerts();
    TextTable table = new TextTable("FIGURE", "VALUE", "ALERT");
    row(table, alerts, "runs", Integer.toString(stats.runs()));
    row(table, alerts, "requests", Integer.toString(stats.requests()));
    row(table, alerts, "steps", Integer.toString(stats.steps()));
    row(table, alerts, "api_retry_rate", percent(stats.apiRetryRate()));
    row(table, alerts, "api_failure_rate", percent(stats.apiFailureRate()));
    row(table, alerts, "repair_iterations", number(stats.repairIterations()));
    row(table, alerts, "escalation_rate", percent(stats.escalationRate()));
    row(table, alerts, "diagnosis_rate", percent(stats.diagnosisRate()));
    row(table, alerts, "diagnoses_per_run", number(stats.diagnosesPerRun()));
    row(table, alerts, "judgements_per_run", number(stats.judgementsPerRun()));
    row(table, alerts, "candidate_validity", percent(stats.candidateValidity()));
    table.print(root.terminal());
  }

  private static void row(
      TextTable table, List<RunStats.Alert> alerts, String figure, String value) {
    String alert =
        alerts.stream()
            .filter(each -> each.figure().equals(figure))
            .map(
                each ->
                    each.message()
                        + ": above "
                        + (each.threshold() < 1
                            ? percent(each.threshold())
                            : number(each.threshold())))
            .findFirst()
            .orElse("");
    table.row(figure, value, alert);
  }

  private static String percent(double rate) {
    return String.format(Locale.ROOT, "%.1f %%", 100 * rate);
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, "%.2f", value);
  }
}
