package dev.holdfast.handler.repair;

import dev.holdfast.llm.ChatProvider;
import dev.holdfast.llm.account.CallGuard;
import dev.holdfast.repair.GitRepairRepository;
import dev.holdfast.repair.ModelPorts;
import dev.holdfast.repair.RepairSettings;
import dev.holdfast.repair.git.TicketRepositories;
import dev.holdfast.repair.trace.Trace;
import dev.holdfast.secret.Secrets;
import dev.holdfast.session.AllowanceStore;
import dev.holdfast.session.event.EventSink;
import dev.holdfast.session.journal.JournalStore;
import dev.holdfast.tool.sandbox.Network;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Map;

/**
 * The ports of the repair handler. All of it is thread-safe and stays the caller's to close.
 *
 * @param providers by their names in the configuration
 * @param guard what stands between an attempt and its providers
 * @param allowances what the tickets themselves may cost
 * @param journals where runs are kept
 * @param events for the tickets' live streams
 * @param steps hears of each step that is worked on
 * @param approvals what people have approved
 * @param wall the time in traces
 */
public record RepairPorts(
    Map<String, ChatProvider> providers,
    ModelPorts models,
    CallGuard guard,
    AllowanceStore allowances,
    JournalStore journals,
    EventSink events,
    Trace.Steps steps,
    TicketRepositories repositories,
    ToolsSource tools,
    Approvals approvals,
    InstantSource wall) {
  public RepairPorts {
    providers = Map.copyOf(providers);
  }

  /** The approvals of people. */
  @FunctionalInterface
  public interface Approvals {
    /**
     * True if a person has approved the result of a ticket of that design. A ticket that is done
     * because its design asks for no review, or a sample left it out, is not approved, nor is it
     * another design's to deliver.
     */
    boolean has(long ticketId, long designId);
  }

  /** The tools that change and check files. */
  @FunctionalInterface
  public interface ToolsSource {
    /**
     * @param network what the verification may reach
     * @throws dev.holdfast.tool.sandbox.SandboxMissingException if it must be confined and cannot
     *     be
     */
    GitRepairRepository.Tools get(Network network) throws InterruptedException;
  }

  /**
   * The worker's settings for repairs.
   *
   * @param runs where the traces of runs are ({@code repair.runs-root})
   * @param usual what holds where a design says nothing
   * @param maxCalls of models in one attempt, 0 for no bound ({@code llm.max-calls-per-execution})
   * @param width how many candidates of a ticket are verified at once ({@code repair.parallel})
   * @param outputTokens what a call is taken to write at worst ({@code budgets.output-tokens})
   * @param secrets that no trace may tell
   */
  public record Settings(
      Path runs,
      RepairSettings usual,
      int maxCalls,
      int width,
      int outputTokens,
      Secrets secrets) {}
}
