package dev.holdfast.handler.repair;

import dev.holdfast.repair.RepairRun;
import dev.holdfast.repair.RepairTask;
import dev.holdfast.repair.RunEnd;
import dev.holdfast.repair.RunHistory;
import dev.holdfast.ticket.ClaimedTicket;
import dev.holdfast.ticket.Guidance;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Makes the order to a run from its ticket. */
final class RepairJob {
  private RepairJob() {}

  static RepairRun.Job of(ClaimedTicket claimed, RepairDesign design, RunHistory history) {
    List<Guidance> guidance = claimed.guidance();
    RunEnd last = history.end();
    int known = last == null ? 0 : Math.min(last.when().guidance(), guidance.size());
    boolean rejected =
        guidance.subList(known, guidance.size()).stream()
            .anyMatch(each -> each.source().equals("reject"));
    return new RepairRun.Job(
        claimed.id(),
        workplace(claimed),
        new RepairTask(
            goal(claimed, design), guidance.stream().map(RepairJob::words).toList(), rejected),
        new RunEnd.At(claimed.retryCount(), guidance.size()));
  }

  /**
   * Returns a name with the ticket's time, because another database has a ticket of this number
   * too.
   */
  static String workplace(ClaimedTicket claimed) {
    return "ticket-" + claimed.id() + "-" + claimed.ticket().createdAt().getEpochSecond();
  }

  private static String goal(ClaimedTicket claimed, RepairDesign design) {
    JsonNode payload = JsonMapper.shared().readTree(claimed.ticket().payload());
    String more = payload.path("goal").asString("");
    return more.isBlank() ? design.goal() : design.goal() + "\n\n" + more;
  }

  private static String words(Guidance guidance) {
    String when =
        guidance.source().equals("reject")
            ? " has looked at the patch so far, did not accept it, and says:\n"
            : " has sent the task back to work and says:\n";
    return guidance.author() + when + guidance.text();
  }
}
