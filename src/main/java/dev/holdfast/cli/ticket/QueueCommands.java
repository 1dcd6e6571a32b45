package dev.holdfast.cli.ticket;

import dev.holdfast.cli.root.HoldfastCommand;
import dev.holdfast.cli.root.NamedChange;
import dev.holdfast.cli.root.UsageHelp;
import picocli.CommandLine;

/** {@code holdfast pause} and {@code holdfast resume}. */
public final class QueueCommands {
  private static final String LABEL = "QUEUE";
  private static final String MEANING = "The queue's name.";

  private QueueCommands() {}

  /** {@code holdfast pause}. */
  public static CommandLine pause(HoldfastCommand root) {
    return UsageHelp.of(
        NamedChange.of(
            root,
            LABEL,
            MEANING,
            (backend, queue, by) -> {
              backend.desk().pauseQueue(queue, by);
              return "paused the queue " + queue;
            }),
        "Stop claims from a queue until it is resumed, over restarts. Running tickets go on.",
        "holdfast pause mail");
  }

  /** {@code holdfast resume}. */
  public static CommandLine resume(HoldfastCommand root) {
    return UsageHelp.of(
        NamedChange.of(
            root,
            LABEL,
            MEANING,
            (backend, queue, by) -> {
              backend.desk().resumeQueue(queue, by);
              return "resumed the queue " + queue;
            }),
        "Let workers claim from a paused queue again.",
        "holdfast resume mail");
  }
}
