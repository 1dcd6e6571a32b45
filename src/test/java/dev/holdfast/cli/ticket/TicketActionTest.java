package dev.holdfast.cli.ticket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.Terminal;
import dev.holdfast.queue.DatabaseUnavailableException;
import dev.holdfast.queue.ServerExhaustedException;
import dev.holdfast.queue.StatementRefusedException;
import dev.holdfast.queue.TicketBusyException;
import dev.holdfast.ticket.HoldfastException;
import dev.holdfast.ticket.InvalidInputException;
import dev.holdfast.ticket.NotFoundException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

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
                    throw new NotFoundException("no ticket " + id);
                  }
                });
    assertThat(code).isEqualTo(ExitCode.REFUSED);
    assertThat(said.toString().lines().filter(line -> line.contains(" a second")))
        .last()
        .asString()
        .startsWith("released 17, ");
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("ofOne")
  @DisplayName(
      "one of several that the database refuses, or that is locked, is named, and the others go on")
  void refusedByDatabase(HoldfastException refusal) {
    StringWriter said = new StringWriter();
    assertThat(run(said, 3, refusal)).isEqualTo(ExitCode.REFUSED);
    assertThat(said.toString())
        .contains("#1: " + refusal.getMessage(), "released 2 of 3; refused #1")
        .doesNotContain("lost");
  }

  private static List<HoldfastException> ofOne() {
    return List.of(
        new StatementRefusedException("a trigger says no", null),
        new TicketBusyException("another transaction has it locked", null));
  }

  @ParameterizedTest(name = "{0} of {1}")
  @MethodSource("ofAll")
  @DisplayName("what others would meet as well ends it, and so does all that one alone meets")
  void ended(HoldfastException failure, int tickets) {
    assertThatThrownBy(() -> run(new StringWriter(), tickets, failure)).isSameAs(failure);
  }

  private static List<Arguments> ofAll() {
    return List.of(
        Arguments.of(new DatabaseUnavailableException("no connection", null), 3),
        Arguments.of(new ServerExhaustedException("disk full", null), 3),
        Arguments.of(new StatementRefusedException.RightMissing("permission denied", null), 3),
        Arguments.of(new StatementRefusedException.SchemaMissing("the schema is old", null), 3),
        Arguments.of(new InvalidInputException("guidance is too long"), 3),
        Arguments.of(new StatementRefusedException("a trigger says no", null), 1));
  }

  @Test
  @DisplayName(
      "a value that is refused with a later ticket is that ticket's; what ended it says so")
  void later() {
    StringWriter said = new StringWriter();
    HoldfastException full = new ServerExhaustedException("disk full", null);
    Map<Long, HoldfastException> refusals =
        Map.of(2L, new InvalidInputException("a constraint says no"), 4L, full);
    assertThatThrownBy(() -> run(said, 4, refusals)).isSameAs(full);
    assertThat(said.toString())
        .contains("#2: a constraint says no", "released 2 before it ended: #1 #3")
        .doesNotContain("lost");
  }

  @ParameterizedTest(name = "as JSON: {0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "false | released 2 before the database was lost: #1 #2",
        "false | holdfast release undo the-key",
        "true | {\"released\":[1,2],\"refused\":[],\"release\":\"the-key\"}"
      })
  @DisplayName("what was done before an action ended is named, and so is the way to undo it")
  void doneBefore(boolean json, String told) {
    StringWriter out = new StringWriter();
    TicketAction action =
        TicketAction.releasing(
            terminal(new PrintWriter(out, true)),
            json,
            "the-key",
            () -> {
              throw new AssertionError("asked a database that is away");
            });
    HoldfastException away = new DatabaseUnavailableException("no connection", null);
    assertThatThrownBy(() -> run(action, 4, Map.of(3L, away))).isSameAs(away);
    assertThat(out.toString()).contains(told);
  }

  private static int run(StringWriter said, int tickets, HoldfastException ofFirst) {
    return run(said, tickets, Map.of(1L, ofFirst));
  }

  private static int run(StringWriter said, int tickets, Map<Long, HoldfastException> refusals) {
    Terminal terminal = terminal(new PrintWriter(said, true));
    return run(new TicketAction(terminal, "released", false), tickets, refusals);
  }

  private static int run(TicketAction action, int tickets, Map<Long, HoldfastException> refusals) {
    return action.run(
        LongStream.rangeClosed(1, tickets).iterator(),
        id -> {
          HoldfastException refusal = refusals.get(id);
          if (refusal != null) {
            throw refusal;
          }
        });
  }

  private static Terminal terminal(PrintWriter out) {
    return new Terminal(out, out, InputStream.nullInputStream(), InstantSource.system());
  }
}
