package dev.holdfast.handler.command;

import dev.holdfast.failure.ErrorReport;
import dev.holdfast.ticket.ClaimedTicket;
import dev.holdfast.ticket.Design;
import dev.holdfast.ticket.Guidance;
import dev.holdfast.ticket.Lease;
import dev.holdfast.ticket.Ticket;
import dev.holdfast.worker.HandlerResult;
import dev.holdfast.worker.TicketContext;
import dev.holdfast.worker.output.OutputFollower;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Builds tickets of kind command and runs them on a handler. */
final class CommandTickets {
  /** Nobody sees the output while a program runs. */
  static final OutputFollower UNSEEN = (claimed, hidden, stdout, stderr) -> () -> {};

  private static final JsonMapper JSON = new JsonMapper();
  private static final Instant CREATED = Instant.parse("2026-11-21T08:00:00Z");

  private final Path workspaces;
  private final Map<String, String> environment =
      new HashMap<>(Map.of("PATH", System.getenv("PATH")));
  private Set<String> passable = Set.of();
  private boolean allowInline;
  private String user = "";

  CommandTickets(Path workspaces) {
    this.workspaces = workspaces;
  }

  CommandTickets allowInline() {
    allowInline = true;
    return this;
  }

  CommandTickets workerVariable(String name, String value) {
    environment.put(name, value);
    return this;
  }

  CommandTickets passable(String... names) {
    passable = Set.of(names);
    return this;
  }

  CommandTickets as(String other) {
    user = other;
    return this;
  }

  CommandHandler handler() {
    return new CommandHandler(
        new CommandSettings(
            allowInline, workspaces, environment, passable, Duration.ofMillis(500), user),
        UNSEEN);
  }

  HandlerResult run(ClaimedTicket claimed) throws InterruptedException {
    return handler().handle(context(claimed));
  }

  /**
   * Runs {@code sh -c script} with the design's further keys given as JSON, such as {@code
   * "timeout": "1s"}.
   */
  HandlerResult sh(String script, String... keys) throws InterruptedException {
    return run(ticket(shell(script, keys)));
  }

  HandlerResult.Succeeded succeed(String script, String... keys) throws InterruptedException {
    return (HandlerResult.Succeeded) sh(script, keys);
  }

  ErrorReport fail(String script, String... keys) throws InterruptedException {
    return error(sh(script, keys));
  }

  static ErrorReport error(HandlerResult result) {
    return ((HandlerResult.Failed) result).error();
  }

  static TicketContext context(ClaimedTicket claimed) {
    return new TicketContext() {
      @Override
      public ClaimedTicket claimed() {
        return claimed;
      }

      @Override
      public boolean isCancelled() {
        return false;
      }
    };
  }

  static String shell(String script, String... keys) {
    ObjectNode design = JSON.createObjectNode().put("kind", "command");
    design.putArray("command").add("sh").add("-c").add(script);
    for (String key : keys) {
      design.setAll((ObjectNode) JSON.readTree("{" + key + "}"));
    }
    return design.toString();
  }

  static ClaimedTicket ticket(String design) {
    return ticket(Optional.of(new Design(5, "job", 3, "command", design)), "{\"n\": 1}", List.of());
  }

  static ClaimedTicket ticket(Optional<Design> design, String payload, List<String> guidance) {
    return new ClaimedTicket(
        new Ticket(17, "default", "command", "A title", payload, 4, CREATED),
        new Lease(99, "worker-1", CREATED, CREATED.plusSeconds(60)),
        design,
        2,
        1,
        guidance.stream().map(text -> new Guidance(text, "ann", "release", CREATED)).toList());
  }
}
