package dev.holdfast.worker.output;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.process.OutputTail;
import dev.holdfast.queue.DatabaseUnavailableException;
import dev.holdfast.queue.output.AttemptOutput;
import dev.holdfast.queue.output.OutputChunk;
import dev.holdfast.queue.output.OutputLog;
import dev.holdfast.secret.Secrets;
import dev.holdfast.ticket.ClaimedTicket;
import dev.holdfast.ticket.Lease;
import dev.holdfast.ticket.Ticket;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** Output on its way from a program to the store. */
@Order(1) // it waits long
class OutputCollectorTest {
  private static final String SECRET = "sk-live-Zx81Qp77";
  private static final Secrets SECRETS = Secrets.of(Map.of(SECRET, "api-key"));

  private final OutputTail stdout = OutputTail.keeping(OutputChunk.KEPT_BYTES * 2);
  private final OutputTail stderr = OutputTail.keeping(OutputChunk.KEPT_BYTES);

  private static void print(OutputTail tail, String text) {
    print(tail, text.getBytes(StandardCharsets.UTF_8));
  }

  private static void print(OutputTail tail, byte[] bytes) {
    tail.drain(new ByteArrayInputStream(bytes));
  }

  private static OutputSource source(OutputTail tail) {
    return (position, most, ended) -> {
      OutputTail.Piece piece = tail.since(position, most, ended);
      return new OutputSource.Piece(piece.from(), piece.to(), piece.text());
    };
  }

  private StreamText stream() {
    return new StreamText(1, 2, OutputChunk.STDOUT, source(stdout), SECRETS);
  }

  private static String text(List<OutputChunk> pieces) {
    return String.join("", pieces.stream().map(OutputChunk::text).toList());
  }

  private static void addTo(List<OutputChunk> pieces, StreamText stream, boolean ended) {
    OutputChunk piece = stream.take(ended);
    if (piece != null) {
      pieces.add(piece);
    }
  }

  @Test
  @DisplayName("22.6: a secret is hidden wherever the pieces are cut, in any form it has")
  void secretAcrossPieces() {
    String encoded =
        Base64.getEncoder().encodeToString(("user:" + SECRET).getBytes(StandardCharsets.UTF_8));
    String said = "a" + SECRET + "b " + encoded + " sk-live-no end sk-live-";
    for (int cut = 0; cut <= said.length(); cut++) {
      OutputTail tail = OutputTail.keeping(4_096);
      StreamText stream = new StreamText(1, 2, OutputChunk.STDOUT, source(tail), SECRETS);
      List<OutputChunk> pieces = new CopyOnWriteArrayList<>();
      print(tail, said.substring(0, cut));
      addTo(pieces, stream, false);
      print(tail, said.substring(cut));
      addTo(pieces, stream, false);
      addTo(pieces, stream, true);
      assertThat(text(pieces))
          .as("cut at %d", cut)
          .isEqualTo(SECRETS.redact(said))
          .contains("[redacted:api-key]")
          .endsWith(" sk-live-");
      assertThat(pieces).extracting(OutputChunk::text).noneMatch(each -> each.contains("Zx81Qp"));
    }
  }

  @Test
  @DisplayName("22.6: a secret whose beginning was dropped is not told by its rest")
  void secretAcrossGap() {
    StreamText stream = stream();
    List<OutputChunk> pieces = new CopyOnWriteArrayList<>();
    print(stdout, "first\n");
    addTo(pieces, stream, false);
    // The kept end begins in the middle of the secret.
    String rest = SECRET.substring(5) + "x".repeat(OutputChunk.KEPT_BYTES - SECRET.length() + 5);
    print(stdout, "lost".repeat(90_000) + SECRET.substring(0, 5) + rest);
    addTo(pieces, stream, true);
    assertThat(text(pieces)).startsWith("first\nxxx").doesNotContain("Zx81", "lost");
    assertThat(pieces).hasSize(2);
    assertThat(pieces.getLast().fromByte()).isGreaterThan(300_000);
    assertThat(pieces.getLast().toByte()).isEqualTo(stdout.total());
  }

  @Test
  @DisplayName("22.6: binary, halves of characters, NUL and orders to a terminal stay text")
  void binary() {
    StreamText stream = stream();
    List<OutputChunk> pieces = new CopyOnWriteArrayList<>();
    byte[] smile = "\uD83D\uDE00".getBytes(StandardCharsets.UTF_8);
    for (byte each : smile) {
      print(stdout, new byte[] {each});
      addTo(pieces, stream, false);
    }
    assertThat(text(pieces)).isEqualTo("\uD83D\uDE00");
    print(stdout, new byte[] {0, (byte) 0xFF, 27, '[', '3', '1', 'm', 'r', 'e', 'd', 7, '\r'});
    print(stdout, new byte[] {'\n', (byte) 0xF0, (byte) 0x9F});
    addTo(pieces, stream, true);
    String stored = text(pieces);
    assertThat(stored).doesNotContain("\0").startsWith("\uD83D\uDE00\uFFFD\uFFFD");
    assertThat(AttemptOutput.plain(stored)).isEqualTo("\uD83D\uDE00\uFFFD\uFFFDred\uFFFD\n\uFFFD");
    assertThat(stored.getBytes(StandardCharsets.UTF_8))
        .isEqualTo(
            new String(stored.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8)
                .getBytes(StandardCharsets.UTF_8));
  }

  @Test
  @DisplayName("22.6: of a huge output, and of one endless line, only the end is kept")
  void huge() {
    StreamText stream = stream();
    byte[] megabyte = "y".repeat(1 << 20).getBytes(StandardCharsets.UTF_8);
    for (int i = 0; i < 200; i++) {
      print(stdout, megabyte);
    }
    print(stdout, "end");
    OutputChunk piece = stream.take(true);
    assertThat(piece).isNotNull();
    assertThat(piece.text()).endsWith("yend").hasSizeLessThanOrEqualTo(OutputChunk.KEPT_BYTES);
    assertThat(piece.toByte()).isEqualTo(200L * (1 << 20) + 3);
    assertThat(stream.take(true)).isNull();
  }

  private static ClaimedTicket claimed() {
    Instant now = Instant.parse("2026-11-21T08:00:00Z");
    return new ClaimedTicket(
        new Ticket(17, "default", "command", null, "{}", 0, now),
        new Lease(99, "worker-1", now, now.plusSeconds(60)),
        Optional.empty(),
        0,
        0,
        List.of());
  }

  @Test
  @DisplayName("22.6: what prints nothing writes nothing; who prints on writes once a second")
  void writes() {
    List<List<OutputChunk>> batches = new CopyOnWriteArrayList<>();
    try (OutputCollector collector = new OutputCollector(batches::add, Secrets.NONE);
        var quiet = collector.follow(claimed(), Map.of(), source(stderr), source(stderr));
        var chatty = collector.follow(claimed(), Map.of(), source(stdout), source(stderr))) {
      long start = System.nanoTime();
      await()
          .pollInterval(Duration.ofMillis(5))
          .until(
              () -> {
                print(stdout, "again\n");
                return batches.size() >= 2;
              });
      assertThat(System.nanoTime() - start).isGreaterThan(1_800_000_000L);
      assertThat(quiet).isNotSameAs(chatty);
    }
    assertThat(batches).allSatisfy(batch -> assertThat(batch).hasSize(1));
    assertThat(batches).hasSizeLessThanOrEqualTo(4);
  }

  @Test
  @DisplayName("22.6: what ended while the database was away is written when it is back")
  void outage() {
    AtomicBoolean away = new AtomicBoolean(true);
    List<OutputChunk> stored = new CopyOnWriteArrayList<>();
    List<Boolean> tries = new CopyOnWriteArrayList<>();
    OutputLog log =
        pieces -> {
          tries.add(away.get());
          if (away.get()) {
            throw new DatabaseUnavailableException("away", new IllegalStateException());
          }
          stored.addAll(pieces);
        };
    try (OutputCollector collector = new OutputCollector(log, SECRETS)) {
      try (var job =
          collector.follow(
              claimed(), Map.of("hunter2hunter2", "PASSWORD"), source(stdout), source(stderr))) {
        assertThat(job).isNotNull();
        print(stdout, "my " + SECRET);
        print(stderr, "and hunter2hunter2");
      }
      await().until(() -> !tries.isEmpty());
      assertThat(stored).isEmpty();
      away.set(false);
      await().until(() -> stored.size() == 2);
    }
    assertThat(stored)
        .extracting(OutputChunk::stream, OutputChunk::text)
        .containsExactly(
            org.assertj.core.groups.Tuple.tuple("stdout", "my [redacted:api-key]"),
            org.assertj.core.groups.Tuple.tuple("stderr", "and [redacted:PASSWORD]"));
  }

  @Test
  @DisplayName("22.6: an error of the store costs what it was given, not what other programs print")
  void error() {
    List<String> stored = new CopyOnWriteArrayList<>();
    OutputLog log =
        pieces -> {
          stored.add(text(pieces));
          if (stored.size() == 1) {
            throw new NoClassDefFoundError("as of a jar that was replaced");
          }
        };
    try (OutputCollector collector = new OutputCollector(log, Secrets.NONE);
        var one = collector.follow(claimed(), Map.of(), source(stdout), source(stderr))) {
      assertThat(one).isNotNull();
      print(stdout, "lost");
      await().until(() -> stored.size() == 1);
      print(stdout, "kept");
      await().until(() -> stored.size() == 2);
    }
    assertThat(stored).containsExactly("lost", "kept");
  }
}
