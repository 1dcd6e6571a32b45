package dev.holdfast.cli.limit;

import dev.holdfast.cli.root.GroupCommand;
import dev.holdfast.cli.root.HoldfastCommand;
import dev.holdfast.cli.root.NamedChange;
import dev.holdfast.cli.root.RowsCommand;
import dev.holdfast.cli.root.UsageHelp;
import dev.holdfast.limit.Limit;
import picocli.CommandLine;

/** {@code holdfast limit}: set, list, remove and weight. */
public final class LimitCommand {
  private LimitCommand() {}

  /** Makes the command with its subcommands. */
  public static CommandLine with(HoldfastCommand root) {
    return new GroupCommand()
        .with("set", new LimitSetCommand(root))
        .with("list", list(root))
        .with("remove", remove(root))
        .with("weight", new LimitWeightCommand(root))
        .line(
            "Limit how many tickets of a queue or a design run at once, and start in a time, over"
                + " all workers.",
            "holdfast limit set queue:mail --concurrent 5 --rate 100/1m",
            "holdfast limit set design:sync --per-key 1",
            "holdfast limit list");
  }

  private static CommandLine list(HoldfastCommand root) {
    return RowsCommand.<Limit>all(root, backend -> backend.limits().list())
        .column("SCOPE", Limit::scope)
        .column("LIMIT", Limit::words)
        .column(
            "RUNNING",
            each -> each.concurrent() == null && each.perKey() == null ? "-" : each.running())
        .column("IN LINE", Limit::waiting)
        .column("SET BY", Limit::setBy)
        .line(
            "no limits; holdfast limit set queue:NAME --concurrent N makes one",
            "List the limits, with what runs and what stands in line under each.",
            "holdfast limit list");
  }

  private static CommandLine remove(HoldfastCommand root) {
    return UsageHelp.of(
        NamedChange.of(
            root,
            "SCOPE",
            "As in: holdfast limit list.",
            (backend, scope, by) -> {
              backend.limits().remove(scope, by);
              return "removed the limit of " + scope;
            }),
        "Take the limit of a queue or a design away; what waited for it may run.",
        "holdfast limit remove queue:mail");
  }
}
