package dev.holdfast.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.postgres.embedded.EmbeddedServer;
import dev.holdfast.postgres.embedded.EmbeddedServerOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class EmbeddedRevivalIT {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir private static Path home;
  private static EmbeddedServerOptions options;

  @BeforeAll
  static void beQuick() {
    options = EmbeddedServerOptions.in(home).withSettings(Map.of("fsync", "off"));
  }

  private EmbeddedServer.Address awaitAnother(EmbeddedServer.Address than) {
    return await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(300))
        .until(() -> EmbeddedServer.running(home).orElse(than), found -> found.pid() != than.pid());
  }

  @Test
  @DisplayName(
      "an embedded PostgreSQL that was killed is started again on its port, as often as it takes,"
          + " and ends with its worker")
  void killed() {
    try (EmbeddedServer server = EmbeddedServer.start(options);
        EmbeddedRevival revival = EmbeddedRevival.of(server)) {
      EmbeddedServer.Address last = server.address();
      for (int i = 0; i < 2; i++) {
        ProcessHandle.of(last.pid()).orElseThrow().destroyForcibly();
        EmbeddedServer.Address again = awaitAnother(last);
        assertThat(again.port()).isEqualTo(last.port());
        last = again;
      }
      revival.close();
    }
    assertThat(EmbeddedServer.running(home)).isEmpty();
  }

  @Test
  @DisplayName("a worker that used another's embedded PostgreSQL starts it when that worker ends")
  void ownerEnds() {
    EmbeddedServer owner = EmbeddedServer.start(options);
    try (EmbeddedServer guest = EmbeddedServer.start(options);
        EmbeddedRevival revival = EmbeddedRevival.of(guest)) {
      assertThat(guest.attached()).isTrue();
      owner.close();
      assertThat(awaitAnother(owner.address()).port()).isEqualTo(owner.address().port());
      await().atMost(PATIENCE).until(() -> !guest.attached());
      revival.close();
    }
    assertThat(EmbeddedServer.running(home)).isEmpty();
  }
}
