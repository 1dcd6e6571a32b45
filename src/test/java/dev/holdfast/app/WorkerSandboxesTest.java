package dev.holdfast.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.config.ConfigLoader;
import dev.holdfast.config.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("issue 20, 1.5: a worker's sandboxes hide")
class WorkerSandboxesTest {
  @TempDir private Path directory;

  @Test
  @DisplayName("the configuration file that was named by an option or a variable")
  void configuration() throws IOException {
    Path file = Files.writeString(directory.resolve("prod.yaml"), "worker.concurrency: 2");
    Path real = file.toRealPath();
    assertThat(
            WorkerSandboxes.of(new ConfigLoader(directory, Map.of()).load(file, Map.of()))
                .secrets())
        .contains(real);
    Map<String, String> variable = Map.of("HOLDFAST_CONFIG", "prod.yaml");
    assertThat(
            WorkerSandboxes.of(new ConfigLoader(directory, variable).load(null, Map.of()))
                .secrets())
        .contains(real);
  }

  @Test
  @DisplayName("the directory of the worker's own database, wherever it is")
  void embedded() throws IOException {
    Path data = Files.createDirectory(directory.resolve("data"));
    assertThat(WorkerSandboxes.of(Settings.defaults().withOwnDatabase(data, "generated")).secrets())
        .contains(data.toRealPath());
  }
}
