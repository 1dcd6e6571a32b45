package dev.holdfast.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.llm.account.AccountSettings;
import dev.holdfast.llm.account.OutageSettings;
import dev.holdfast.testing.ModelReply;
import dev.holdfast.testing.ModelRequest;
import dev.holdfast.testing.RawModelServer;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What an error that does not pass costs until a person hears of it: one real worker whose settings
 * are the defaults, but that an eighth of a second of them lasts a millisecond, and that an outage
 * holds its tickets after an eighth of its time: all of it is more of the same. All targets of a
 * ticket fail in the same way. The table in {@code docs/agents.md} is made of what the test sees;
 * {@code -Dretries.write=true} writes it.
 */
@Tag("slow")
@WithDatabase
@Timeout(300)
class ErrorCostIT {
  /** A call takes longer here: with less of a cool-down, one is over before the other target's. */
  private static final int FASTER = 125;

  private static final AccountSettings COOLDOWN = AccountSettings.DEFAULT;
  private static final OutageSettings OUTAGE = OutageSettings.DEFAULT;
  private static final Duration HELD_HERE = OUTAGE.holdAfter().dividedBy(8);
  private static final List<Fault> FAULTS =
      List.of(
          Fault.UNAVAILABLE,
          Fault.OVERLOADED,
          Fault.LIMITED,
          Fault.LIMITED_FOR_4S,
          Fault.REFUSED,
          Fault.BROKEN,
          Fault.BAD_KEY,
          Fault.NO_QUOTA,
          Fault.EMPTY);

  /** A held ticket stays: a trial of an outage's held tickets would make calls of its own. */
  private static final String NONE_AFTER_HOLD =
      """
      CREATE FUNCTION holdfast.pause_behind_hold() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM holdfast.pause_queue(NEW.queue, 'test');
        RETURN NULL;
      END $$;
      CREATE TRIGGER pause_behind_hold AFTER UPDATE OF state ON holdfast.ticket_base
        FOR EACH ROW WHEN (NEW.state = 'on_hold') EXECUTE FUNCTION holdfast.pause_behind_hold();
      """;

  private record Ticket(Fault fault, int targets, long id) {
    boolean isOutage() {
      return switch (fault) {
        case UNAVAILABLE, OVERLOADED, LIMITED, LIMITED_FOR_4S, REFUSED -> true;
        default -> false;
      };
    }

    String provider(int target) {
      return (fault.name() + "-" + targets + "-" + target)
          .toLowerCase(Locale.ROOT)
          .replace('_', '-');
    }
  }

  private final TicketRows rows;
  @AutoClose private final RawModelServer models = RawModelServer.start(ErrorCostIT::answer);
  @AutoClose private final Installation holdfast;

  ErrorCostIT(TestDatabase database, @TempDir Path directory) {
    this.rows = new TicketRows(database.dataSource());
    this.holdfast =
        Installation.on(database, directory)
            .with("HOLDFAST_COOLDOWN_POLL_INTERVAL", "50ms")
            .with("HOLDFAST_COOLDOWN_BASE_DELAY", faster(COOLDOWN.baseDelay()))
            .with("HOLDFAST_COOLDOWN_MAX_DELAY", faster(COOLDOWN.maxDelay()))
            .with("HOLDFAST_COOLDOWN_NOTICE_AFTER", faster(OUTAGE.noticeAfter()))
            .with("HOLDFAST_COOLDOWN_HOLD_AFTER", faster(HELD_HERE))
            // Both last a second at least, which is long here. They change no number of calls.
            .with("HOLDFAST_COOLDOWN_WAIT_IN_SESSION", "0s")
            .with("HOLDFAST_COOLDOWN_SPREAD", "0")
            .with("HOLDFAST_SESSION_RETRY_BASE_DELAY", faster(Duration.ofSeconds(2)))
            .with("HOLDFAST_RETRY_CATEGORIES_TRANSIENT_BASE_DELAY", faster(Duration.ofSeconds(30)))
            .with("HOLDFAST_RETRY_JITTER", "0");
  }

  private static void answer(ModelRequest request, Socket to)
      throws IOException, InterruptedException {
    Fault fault = Fault.valueOf(request.model().split("\\.")[1]);
    switch (fault) {
      case EMPTY ->
          RawModelServer.stream(to, request, ModelReply.text("").withUsage(CostTable.ANSWERED), 99);
      case LIMITED_FOR_4S ->
          RawModelServer.write(
              to,
              "HTTP/1.1 429 Too Many Requests",
              "retry-after-ms: " + 4_000 / FASTER,
              "Content-Length: 0",
              "Connection: close",
              "");
      default -> fault.answer(request, to);
    }
  }

  @Test
  @DisplayName(
      "B56, T4, T5, T20, issue 19: docs/agents.md says what an error that does not pass costs"
          + " until a person hears of it, in calls, time and money")
  void cost() throws Exception {
    writeProviders();
    HoldfastProcess worker = holdfast.worker();
    rows.column(NONE_AFTER_HOLD);
    List<Ticket> tickets = enqueue();
    for (Ticket ticket : tickets) {
      TicketRows.await(ticket + " is held")
          .atMost(Duration.ofSeconds(150))
          .until(() -> !holdCause(ticket).isEmpty());
    }
    CostTable table = new CostTable();
    for (Ticket ticket : tickets) {
      long seen = calls(ticket, worker);
      long said = ticket.isOutage() ? most(ticket, OUTAGE.holdAfter()) : seen;
      if (ticket.isOutage()) {
        // A busy machine is late for cool-downs and holds, so that fewer or more calls fit.
        long here = most(ticket, HELD_HERE);
        assertThat(seen).as("calls of %s", ticket).isBetween(here / 5, here * 2);
      }
      assertThat(notices(ticket))
          .as("notices of %s, held for %s", ticket, holdCause(ticket))
          .hasSize(ticket.isOutage() ? 1 : 0);
      table.row(
          ticket.fault.title(),
          ticket.targets,
          said,
          !ticket.isOutage(),
          CostTable.words(heard(ticket)),
          then(ticket),
          paid(ticket));
    }
    table.check();
  }

  private void writeProviders() throws IOException {
    int closed;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      closed = free.getLocalPort();
    }
    StringBuilder yaml = new StringBuilder("providers:\n");
    for (Ticket ticket : kinds()) {
      for (int target = 1; target <= ticket.targets; target++) {
        boolean refused = ticket.fault == Fault.REFUSED;
        String url = refused ? "http://127.0.0.1:" + closed : models.url();
        yaml.append("  ").append(ticket.provider(target)).append(":\n    type: ");
        yaml.append(ticket.fault.type()).append("\n    api-key: sk-key\n    base-url: ");
        yaml.append(url).append(ticket.fault.type().equals("openai") ? "/v1" : "");
        yaml.append("\n    prices: [{model: \"gpt-5*\", input: ").append(CostTable.PRICE.input());
        yaml.append(", output: ").append(CostTable.PRICE.output()).append("}]\n");
      }
    }
    Files.writeString(holdfast.directory().resolve("holdfast.yaml"), yaml);
  }

  private static String faster(Duration duration) {
    return duration.dividedBy(FASTER).toMillis() + "ms";
  }

  private static List<Ticket> kinds() {
    List<Ticket> kinds = new ArrayList<>();
    for (Fault fault : FAULTS) {
      kinds.add(new Ticket(fault, 1, 0));
      kinds.add(new Ticket(fault, 2, 0));
    }
    return kinds;
  }

  private List<Ticket> enqueue() {
    List<Ticket> tickets = new ArrayList<>();
    for (Ticket kind : kinds()) {
      String name = kind.provider(kind.targets);
      List<String> targets = new ArrayList<>();
      for (int target = 1; target <= kind.targets; target++) {
        targets.add(
            "{\"provider\": \"%s\", \"model\": \"gpt-5.%s.%s\"}"
                .formatted(kind.provider(target), kind.fault.name(), kind.targets));
      }
      rows.column(
          "INSERT INTO holdfast.designs (name, version, kind, definition) VALUES (?, 1, 'agent',"
              + " ?::jsonb)",
          name,
          "{\"kind\": \"agent\", \"targets\": [" + String.join(", ", targets) + "]}");
      tickets.add(new Ticket(kind.fault, kind.targets, rows.enqueue(name, name)));
    }
    return tickets;
  }

  private String holdCause(Ticket ticket) {
    return String.join(
        "",
        rows.column(
            "SELECT details->>'holdCause' FROM holdfast.ticket_activity WHERE ticket_id = ? AND"
                + " details->>'holdCause' IS NOT NULL",
            ticket.id));
  }

  /** Calls that reach nobody are counted by the worker alone. */
  private long calls(Ticket ticket, HoldfastProcess worker)
      throws IOException, InterruptedException {
    String model = "gpt-5." + ticket.fault.name() + "." + ticket.targets;
    if (ticket.fault != Fault.REFUSED) {
      return models.requests().stream().filter(each -> each.model().equals(model)).count();
    }
    return worker
        .get("/metrics")
        .body()
        .lines()
        .filter(line -> line.startsWith("holdfast_llm_calls_total{") && line.contains(model))
        .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' '))))
        .sum();
  }

  /** One call ends each cool-down; the first needs more signs where the provider is just out. */
  private static long most(Ticket ticket, Duration holdAfter) {
    boolean told = ticket.fault != Fault.UNAVAILABLE && ticket.fault != Fault.REFUSED;
    long calls = told ? 1 : COOLDOWN.outageAfter();
    Duration delay = COOLDOWN.baseDelay();
    Duration at = delay;
    while (at.compareTo(holdAfter) <= 0) {
      calls++;
      Duration twice = delay.multipliedBy(2);
      delay = twice.compareTo(COOLDOWN.maxDelay()) < 0 ? twice : COOLDOWN.maxDelay();
      at = at.plus(delay);
    }
    return calls * ticket.targets;
  }

  private List<String> notices(Ticket ticket) {
    return rows.column(
        "SELECT DISTINCT 'told' FROM holdfast.ticket_activity WHERE action = 'provider_outage' AND"
            + " details->>'provider' LIKE ?",
        ticket.provider(0).replaceFirst("0$", "%"));
  }

  /** Of an outage by its notice; of all else by the hold, behind all the waits that were told. */
  private Duration heard(Ticket ticket) {
    if (ticket.isOutage()) {
      return OUTAGE.noticeAfter();
    }
    String waits =
        rows.value(
            """
            SELECT COALESCE((SELECT sum((details->>'nextDelayMs')::bigint) FROM holdfast.ticket_activity
                WHERE ticket_id = ? AND action = 'retry_decision' AND details->>'holdCause' IS NULL), 0)
              + COALESCE((SELECT sum((details->>'delayMs')::bigint) FROM holdfast.session_events
                WHERE ticket_id = ? AND event = 'auto_retry_start'), 0)
            """,
            ticket.id,
            ticket.id);
    return Duration.ofMillis(Long.parseLong(waits) * FASTER);
  }

  private String then(Ticket ticket) {
    return "held"
        + (ticket.isOutage() ? " " + CostTable.words(OUTAGE.holdAfter()) : " then")
        + ", `"
        + holdCause(ticket)
        + "`";
  }

  private BigDecimal paid(Ticket ticket) {
    return new BigDecimal(
        rows.value(
            "SELECT COALESCE(sum(cost_usd), 0) FROM holdfast.attempt_costs WHERE ticket_id = ?",
            ticket.id));
  }
}
