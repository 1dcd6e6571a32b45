package dev.holdfast.cli.ticket;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.Terminal;
import dev.holdfast.ticket.TicketNotFoundException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class TicketActionTest {
  @Test
  @DisplayName("progress counts what was released, not what was refused")
  void refused() {
    AtomicReference<Instant> now = new AtomicReference<>(Instant.EPOCH);
    StringWriter said = new StringWriter();
    PrintWriter err = new PrintWriter(said, true);
    Terminal terminal = new Terminal(err, err, InputStream.nullInputStream(), now::get);
    int code =
        new TicketAction(terminal, "released", false)
            .run(
                LongStream.rangeClosed(1, 40).iterator(),
                id -> {
                  now.updateAndGet(time -> time.plusSeconds(1));
                  if (id % 2 == 0) {
                    throw new TicketNotFoundException("no ticket " + id);
                  }
                });
    assertThat(code).isEqualTo(ExitCode.REFUSED);
    assertThat(said.toString().lines().filter(line -> line.contains(" a second")))
        .last()
        .asString()
        .startsWith("released 17, ");
  }
}
