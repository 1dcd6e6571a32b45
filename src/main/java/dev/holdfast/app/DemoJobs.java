package dev.holdfast.app;

import dev.holdfast.handler.design.DesignValidator;
import dev.holdfast.handler.design.ValidDesign;
import dev.holdfast.queue.DesignStore;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Puts the sample programs beside the data, and their designs on the store. */
final class DemoJobs {
  private static final List<String> JOBS =
      List.of("report", "rate-limit", "syntax-error", "missing-file", "guided");

  private DemoJobs() {}

  static String design(String job) {
    return "demo-" + job;
  }

  static void install(Path home, DesignStore store) {
    Path directory = home.resolve("demo").toAbsolutePath();
    DesignValidator validator = new DesignValidator();
    try {
      Files.createDirectories(directory);
      for (String job : JOBS) {
        Files.writeString(directory.resolve(job + ".sh"), resource(job + ".sh"));
        String text = resource(job + ".yaml").replace("${directory}", quotable(directory));
        put(job, validator.validate(text), store);
      }
      DemoAgent.install(directory);
      String agent = resource("agent.yaml").replace("${directory}", quotable(directory));
      put(DemoAgent.JOB, validator.validate(agent), store);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void put(String job, ValidDesign design, DesignStore store) {
    store.put(design(job), design.kind(), design.definition(), "demo");
  }

  /** Returns the path as it must stand between the double quotes of YAML. */
  private static String quotable(Path directory) {
    return directory.toString().replace("\\", "\\\\").replace("\"", "\\\"");
  }

  static String resource(String name) throws IOException {
    try (InputStream in = DemoJobs.class.getResourceAsStream("demo/" + name)) {
      if (in == null) {
        throw new IllegalStateException("the jar lacks the demo's " + name);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
