package dev.holdfast.postgres.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.postgres.TestSql;
import dev.holdfast.postgres.TestTickets;
import dev.holdfast.postgres.read.PostgresTicketReader;
import dev.holdfast.queue.output.AttemptOutput;
import dev.holdfast.queue.output.OutputChunk;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestQueue;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.ticket.TicketState;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What programs print, on its way into the table and out of it. */
@WithDatabase
@EverySetup
class PostgresOutputLogIT {
  private static final int KIB = 1024;

  private final TestSql sql;
  private final TestQueue queue;
  private final TestTickets tickets;
  private final PostgresOutputLog log;
  private final PostgresTicketReader reader;

  PostgresOutputLogIT(TestDatabase database) {
    this.sql = new TestSql(database.dataSource());
    this.queue = TestQueue.on(new TicketDatabase(database));
    this.tickets = new TestTickets(database.dataSource());
    this.log = new PostgresOutputLog(database.dataSource(), "holdfast");
    this.reader = new PostgresTicketReader(database.dataSource());
  }

  private static OutputChunk piece(long id, long lease, int from, int to, int pieces, String text) {
    return new OutputChunk(id, lease, OutputChunk.STDOUT, from, to, pieces, text);
  }

  private String stdout(long id, @Nullable Integer attempt) {
    return reader
        .output(id, attempt)
        .map(output -> output.text(OutputChunk.STDOUT))
        .orElse("no attempt");
  }

  @Test
  @DisplayName("22.6: pieces add up, and one that is sent twice counts once")
  void pieces() {
    long id = queue.enqueue();
    long lease = queue.claim();
    List<OutputChunk> first =
        List.of(piece(id, lease, 0, 3, 1, "a\u00e9"), piece(id, lease, 0, 4, 2, "b"));
    log.append(first);
    log.append(first);
    log.append(List.of(piece(id, lease, 4, 5, 1, "c"), piece(id + 1_000_000, lease, 0, 1, 1, "x")));
    AttemptOutput output = reader.output(id, null).orElseThrow();
    assertThat(output.text(OutputChunk.STDOUT)).isEqualTo("a\u00e9bc");
    assertThat(output.bytes(OutputChunk.STDOUT)).isEqualTo(5);
    assertThat(output.running()).isTrue();
    assertThat(output.attempt()).isOne();
    assertThat(output.text(OutputChunk.STDERR)).isEmpty();
    assertThat(reader.output(id, 2)).isEqualTo(Optional.empty());
    log.append(List.of());
  }

  @Test
  @DisplayName("22.6: only the last 64 KiB of a stream stay, whatever a program prints")
  void bounded() {
    long id = queue.enqueue();
    long lease = queue.claim();
    for (int i = 0; i < 40; i++) {
      String text = Integer.toString(i % 10).repeat(8 * KIB);
      log.append(List.of(piece(id, lease, i * 8 * KIB, (i + 1) * 8 * KIB, 1, text)));
    }
    assertThat(sql.number("SELECT count(*) FROM holdfast.attempt_output WHERE ticket_id = ?", id))
        .isLessThanOrEqualTo(9);
    assertThat(stdout(id, 1)).hasSize(64 * KIB).startsWith("2").endsWith("9");
    assertThat(reader.output(id, 1).orElseThrow().isCut(OutputChunk.STDOUT)).isTrue();
  }

  @Test
  @DisplayName("22.6: the last piece may come behind the result; a stale attempt writes nothing")
  void fenced() {
    long id = queue.enqueue();
    long old = queue.claim();
    log.append(List.of(piece(id, old, 0, 5, 1, "first")));
    queue.expire(old);
    queue.queue().rescue(10);
    queue.makeDue(id);
    log.append(List.of(piece(id, old, 0, 11, 2, " stale")));
    long current = queue.claim();
    log.append(List.of(piece(id, old, 0, 11, 2, " stale"), piece(id, current, 0, 6, 1, "second")));
    queue.succeed(id, current);
    log.append(List.of(piece(id, current, 0, 10, 2, " end")));
    assertThat(stdout(id, null)).isEqualTo("second end");
    assertThat(stdout(id, 1)).isEqualTo("first");
    assertThat(reader.output(id, 2).orElseThrow().running()).isFalse();
  }

  @Test
  @DisplayName("22.6: output goes with its ticket")
  void deleted() {
    long id = tickets.in(TicketState.DONE);
    long lease =
        sql.number("SELECT lease_no FROM holdfast.ticket_attempts WHERE ticket_id = ?", id);
    log.append(List.of(piece(id, lease, 0, 1, 1, "x")));
    assertThat(stdout(id, null)).isEqualTo("x");
    sql.run("DELETE FROM holdfast.tickets WHERE id = ?", id);
    log.append(List.of(piece(id, lease, 1, 2, 1, "y")));
    assertThat(sql.number("SELECT count(*) FROM holdfast.attempt_output WHERE ticket_id = ?", id))
        .isZero();
    assertThat(stdout(id, null)).isEqualTo("no attempt");
  }
}
