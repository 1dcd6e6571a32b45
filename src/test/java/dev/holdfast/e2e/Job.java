package dev.holdfast.e2e;

import static dev.holdfast.e2e.TicketRows.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/**
 * A program for tickets: a shell script in a directory, where it leaves files for the test and the
 * test for it.
 *
 * @param review human or none
 */
record Job(Path directory, String script, String review) {
  /**
   * Each attempt says its process id, then waits until it may go on; its result is its number.
   * Killing the shell alone leaves no child behind for long, and what a killed worker leaves ends
   * with the directory.
   */
  private static final String WAITING =
      """
      run=$HOLDFAST_TICKET_ID.$HOLDFAST_ATTEMPT
      echo $$ > pid.$run.new && mv pid.$run.new pid.$run
      while [ ! -e go.$run ] && [ -e pid.$run ]; do sleep 0.2; done
      echo "{\\"attempt\\": $HOLDFAST_ATTEMPT}"
      """;

  static Job of(Path directory, String script) {
    return new Job(directory, script, "none");
  }

  static Job waiting(Path directory) {
    return of(directory, WAITING);
  }

  /** The design as JSON. */
  String design() {
    Map<String, Object> design = new LinkedHashMap<>();
    design.put("kind", "command");
    design.put("command", List.of("/bin/sh", "-c", script));
    design.put("directory", directory.toString());
    design.put("review", review);
    return JsonMapper.builder().build().writeValueAsString(design);
  }

  /** The process of an attempt that has begun to wait. */
  ProcessHandle awaitStart(long ticket, int attempt) throws IOException {
    Path file = directory.resolve("pid." + ticket + "." + attempt);
    await("attempt " + attempt + " of ticket " + ticket + " runs").until(() -> Files.exists(file));
    long pid = Long.parseLong(Files.readString(file).strip());
    return ProcessHandle.of(pid)
        .orElseThrow(() -> new AssertionError("the program has ended already"));
  }

  /** Lets a waiting attempt succeed. */
  void go(long ticket, int attempt) throws IOException {
    Files.createFile(directory.resolve("go." + ticket + "." + attempt));
  }
}
