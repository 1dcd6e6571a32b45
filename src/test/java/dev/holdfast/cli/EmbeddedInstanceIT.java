package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.postgres.embedded.EmbeddedServer;
import dev.holdfast.postgres.embedded.EmbeddedServerOptions;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow") // its servers are the same in every setup
@Order(1) // it starts servers
class EmbeddedInstanceIT {
  @Test
  @DisplayName(
      "without a database URL, commands use the embedded instance that runs in this directory")
  void secondTerminal(@TempDir Path directory) {
    Cli cli = new Cli(Map.of(), directory);
    EmbeddedServerOptions options = EmbeddedServerOptions.in(directory.resolve(".holdfast"));
    try (EmbeddedServer server = EmbeddedServer.start(options)) {
      assertThat(cli.run("migrate").code()).isZero();
      assertThat(cli.run("enqueue", "--kind", "command").out().strip()).isEqualTo("1");
      assertThat(cli.run("doctor").out())
          .contains("(embedded)")
          .doesNotContain(server.address().password());
    }
    assertThat(cli.run("list").code()).isEqualTo(4);
  }
}
