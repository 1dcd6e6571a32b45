package dev.holdfast.handler.agent;

import dev.holdfast.llm.CallRetryOptions;
import dev.holdfast.llm.ChatProvider;
import dev.holdfast.llm.ProviderEventListener;
import dev.holdfast.llm.account.CallGuard;
import dev.holdfast.llm.scripted.Script;
import dev.holdfast.llm.scripted.ScriptedProvider;
import dev.holdfast.retry.Sleeper;
import dev.holdfast.session.Allowance;
import dev.holdfast.session.AllowanceStore;
import dev.holdfast.session.LoopSettings;
import dev.holdfast.session.approval.ApprovalStore;
import dev.holdfast.session.event.EventSink;
import dev.holdfast.session.event.SessionEvent;
import dev.holdfast.session.journal.AttemptHistory;
import dev.holdfast.session.journal.InMemoryJournal;
import dev.holdfast.session.journal.Journal;
import dev.holdfast.session.journal.JournalStore;
import dev.holdfast.session.retry.AutoRetrySettings;
import dev.holdfast.session.retry.RetryAborts;
import dev.holdfast.ticket.ClaimedTicket;
import dev.holdfast.ticket.Design;
import dev.holdfast.ticket.Guidance;
import dev.holdfast.ticket.Lease;
import dev.holdfast.ticket.Ticket;
import dev.holdfast.tool.ToolSettings;
import dev.holdfast.tool.sandbox.SandboxMode;
import dev.holdfast.tool.sandbox.Sandboxes;
import dev.holdfast.worker.HandlerResult;
import dev.holdfast.worker.TicketContext;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongSupplier;

/** Builds tickets of kind agent and runs them on a handler whose model plays a script. */
final class AgentTickets {
  private static final Instant CREATED = Instant.parse("2026-11-21T08:00:00Z");

  static final String TARGET = "targets: [{provider: played, model: m}]\n";

  /** Nobody is there to ask: every call waits. */
  private static final ApprovalStore NOBODY =
      new ApprovalStore() {
        @Override
        public List<Approval> ask(long ticketId, long leaseNo, List<Asked> calls) {
          return known(ticketId, calls);
        }

        @Override
        public List<Approval> known(long ticketId, List<Asked> calls) {
          return calls.stream().map(each -> Approval.NOT_ASKED).toList();
        }
      };

  private final Path workspaces;
  final List<SessionEvent> events = new CopyOnWriteArrayList<>();
  Journal journal = new InMemoryJournal();
  RetryAborts aborts = waiting -> Set.of();
  AttemptHistory attempts = ticketId -> List.of();
  AllowanceStore allowances = ticketId -> AllowanceStore.Own.NONE;
  LongSupplier nanoTime = System::nanoTime;
  Sandboxes sandboxes = Sandboxes.of(SandboxMode.OFF, Map.of(), List.of());
  int attempt = 1;
  AutoRetrySettings autoRetry = new AutoRetrySettings(false, 3, Duration.ofHours(1), false, false);
  List<Guidance> guidance = List.of();
  String payload = "{\"prompt\": \"Make it work.\"}";

  AgentTickets(Path workspaces) {
    this.workspaces = workspaces;
  }

  AgentHandler handler(String script) {
    return handler(new ScriptedProvider("played", Script.parse(script), call -> {}, Sleeper.REAL));
  }

  AgentHandler handler(ChatProvider provider) {
    EventSink sink = (ticketId, leaseNo, event) -> events.add(event);
    JournalStore store = (ticketId, leaseNo) -> journal;
    AgentSettings settings =
        new AgentSettings(
            workspaces,
            Duration.ofSeconds(30),
            60,
            autoRetry,
            LoopSettings.DEFAULT,
            ToolSettings.defaults(),
            Allowance.NONE,
            CallRetryOptions.DEFAULTS);
    return new AgentHandler(
        settings,
        new AgentPorts(
            Map.of("played", provider),
            new SessionStores(store, sink, aborts, allowances, NOBODY, attempts),
            Map.of("PATH", System.getenv("PATH")),
            sandboxes,
            CallGuard.NONE,
            List.of(),
            ProviderEventListener.NONE,
            Sleeper.REAL,
            nanoTime,
            () -> 0));
  }

  /**
   * @param design what comes behind the kind
   */
  HandlerResult run(String design, String script) throws InterruptedException {
    return handler(script).handle(context(design));
  }

  TicketContext context(String design) {
    ClaimedTicket claimed =
        new ClaimedTicket(
            new Ticket(17, "default", "agent", "A title", payload, 4, CREATED),
            new Lease(99, "worker-1", CREATED, CREATED.plusSeconds(60)),
            Optional.of(new Design(5, "fixer", 3, "agent", "kind: agent\n" + design)),
            attempt,
            0,
            guidance);
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
}
