package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.postgres.embedded.EmbeddedServer;
import dev.holdfast.postgres.embedded.EmbeddedServerOptions;
import dev.holdfast.testing.EverySetup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands at a server that only follows another one. */
@EverySetup
@Order(1) // it starts servers
class StandbyIT {
  @Test
  @DisplayName("doctor looks at a standby to the end, and what would write says where to write")
  void standby(@TempDir Path directory) throws IOException {
    Cli cli = new Cli(Map.of(), directory);
    EmbeddedServerOptions options =
        EmbeddedServerOptions.in(directory.resolve(".holdfast"))
            .withSettings(Map.of("fsync", "off"));
    Path data;
    try (EmbeddedServer server = EmbeddedServer.start(options)) {
      data = server.address().directory().resolve("data");
      assertThat(cli.run("migrate").code()).isZero();
    }
    Files.createFile(data.resolve("standby.signal"));
    try (EmbeddedServer _ = EmbeddedServer.start(options)) {
      Cli.Result doctor = cli.run("doctor");
      assertThat(doctor.code()).isEqualTo(1);
      assertThat(doctor.lines())
          .filteredOn(line -> line.startsWith("fail "))
          .singleElement()
          .asString()
          .endsWith("is a standby and takes no writes; point database.url at the primary");
      assertThat(doctor.out()).contains("skip  notifications: ", "ok    schema: ", "ok    holds: ");

      Cli.Result enqueue = cli.run("enqueue", "--kind", "command");
      assertThat(enqueue.code()).isEqualTo(4);
      assertThat(enqueue.err())
          .contains("takes no writes", "read-only transaction", "database.url at the primary");
    }
  }
}
