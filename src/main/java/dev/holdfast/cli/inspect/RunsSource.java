package dev.holdfast.cli.inspect;

import dev.holdfast.cli.output.PlainText;
import dev.holdfast.cli.output.UsageException;
import dev.holdfast.cli.output.Words;
import dev.holdfast.cli.root.Backend;
import dev.holdfast.cli.root.HoldfastCommand;
import dev.holdfast.config.FileProblem;
import dev.holdfast.repair.trace.TraceEvent;
import dev.holdfast.repair.trace.TraceFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The source of {@code runs}: usually the database, or files. */
final class RunsSource {
  @Option(
      names = "--since",
      paramLabel = "TIME",
      defaultValue = "30d",
      description = "How far back, as in 90m, 12h or 7d; default ${DEFAULT-VALUE}.")
  private String since = "30d";

  @Option(
      names = "--traces",
      paramLabel = "DIR",
      description =
          "Read the files DIR/*/trace.jsonl instead of the database, all of them, such as"
              + " .holdfast/runs.")
  private @Nullable Path traces;

  /** Returns the events, oldest first. */
  List<TraceEvent> events(HoldfastCommand root) {
    if (traces != null) {
      return ofFiles(root, traces);
    }
    Duration window = Words.duration("--since", since);
    try (Backend backend = root.open()) {
      return backend.runs().events(window);
    }
  }

  private static List<TraceEvent> ofFiles(HoldfastCommand root, Path directory) {
    try {
      return TraceFiles.read(
          directory, line -> root.terminal().progress("holdfast: " + PlainText.oneLine(line)));
    } catch (IOException e) {
      throw new UsageException(
          ("--traces: cannot read the directory %s: %s; name one that holds runs, such as"
                  + " .holdfast/runs")
              .formatted(directory, FileProblem.of(directory.toString(), e)));
    }
  }

  String where() {
    return traces == null ? "in the last " + since : "in " + traces;
  }
}
