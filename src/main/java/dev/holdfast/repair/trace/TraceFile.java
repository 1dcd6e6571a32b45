package dev.holdfast.repair.trace;

import dev.holdfast.secret.Secrets;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;

/**
 * {@code trace.jsonl}: one event per line (E47). It repeats what the journal holds. So it is
 * written again when an attempt begins, and a full disk costs the file but not the run.
 *
 * @param file in a directory that is made when it is missing
 * @param secrets that no event may tell
 */
public record TraceFile(Path file, Secrets secrets) implements Trace {
  private static final Logger LOG = LoggerFactory.getLogger(TraceFile.class);

  @Override
  public synchronized void begin(List<JsonNode> earlier) {
    try {
      Files.createDirectories(file.toAbsolutePath().getParent());
      write(earlier, StandardOpenOption.TRUNCATE_EXISTING);
    } catch (IOException e) {
      LOG.warn("the trace {} cannot be written: {}", file, e.toString());
    }
  }

  @Override
  public synchronized void append(List<JsonNode> events) {
    try {
      write(events, StandardOpenOption.APPEND);
    } catch (IOException e) {
      LOG.warn("the trace {} lacks {} events: {}", file, events.size(), e.toString());
    }
  }

  private void write(List<JsonNode> events, StandardOpenOption how) throws IOException {
    try (Writer out =
        Files.newBufferedWriter(
            file,
            StandardCharsets.UTF_8,
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE,
            how)) {
      for (JsonNode event : events) {
        out.write(secrets.redactJson(event.toString()) + "\n");
      }
    }
  }
}
