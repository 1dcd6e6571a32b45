package dev.holdfast.testing;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jdbi.v3.core.Jdbi;

/** The machine's Maven, or else the one that the wrapper brings. */
public final class Maven {
  private Maven() {}

  /** Where the build has its libraries from. */
  public static Path repository() {
    Path jar = Path.of(Jdbi.class.getProtectionDomain().getCodeSource().getLocation().getPath());
    // org/jdbi/jdbi3-core/VERSION/FILE
    return jar.getRoot().resolve(jar.subpath(0, jar.getNameCount() - 5));
  }

  /** Runs it to its end, which must be good; returns what it printed. */
  public static String run(Path directory, Path repository, String... words)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(program(), "-B", "-q", "-Dstyle.color=never"));
    command.add("-Dmaven.repo.local=" + repository);
    command.addAll(List.of(words));
    ProcessBuilder builder =
        new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true);
    // Maven itself may run on an older Java, which cannot compile for this one.
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.environment().put("MAVEN_OPTS", String.join(" ", JavaCommand.SHORT_LIVED));
    Process process = builder.start();
    try {
      String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (process.waitFor() != 0) {
        throw new AssertionError(String.join(" ", command) + "\n" + printed);
      }
      return printed;
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }

  private static String program() {
    for (String directory : System.getenv("PATH").split(":")) {
      if (Files.isExecutable(Path.of(directory, "mvn"))) {
        return "mvn";
      }
    }
    return Path.of("mvnw").toAbsolutePath().toString();
  }
}
