package dev.holdfast.repair.trace;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** Reads the traces under a directory of runs. A line that is no event is skipped (E50). */
public final class TraceFiles {
  private TraceFiles() {}

  /**
   * @param runs with a directory for each run
   * @param warn hears of each line that was skipped
   * @throws IOException if the directory cannot be read
   */
  public static List<TraceEvent> read(Path runs, Consumer<String> warn) throws IOException {
    List<TraceEvent> events = new ArrayList<>();
    try (Stream<Path> directories = Files.list(runs)) {
      for (Path directory : directories.sorted().toList()) {
        Path file = directory.resolve("trace.jsonl");
        if (Files.isRegularFile(file)) {
          readFile(file, directory.getFileName().toString(), warn, events);
        }
      }
    } catch (UncheckedIOException e) {
      throw new IOException("cannot read " + runs + ": " + e.getMessage(), e);
    }
    return events;
  }

  private static void readFile(
      Path file, String run, Consumer<String> warn, List<TraceEvent> events) {
    int number = 0;
    try (Stream<String> lines = Files.lines(file)) {
      for (String line : (Iterable<String>) lines::iterator) {
        number++;
        JsonNode json = json(line);
        if (json != null && json.path("type").isString()) {
          events.add(TraceEvent.of(json, run));
        } else if (!line.isBlank()) {
          warn.accept(file + ", line " + number + " is cut off or no event: skipped");
        }
      }
    } catch (IOException | UncheckedIOException e) {
      warn.accept(
          file + " cannot be read after line " + number + ": skipped (" + e.getMessage() + ")");
    }
  }

  private static @Nullable JsonNode json(String line) {
    try {
      return RunJson.MAPPER.readTree(line);
    } catch (JacksonException e) {
      return null;
    }
  }
}
