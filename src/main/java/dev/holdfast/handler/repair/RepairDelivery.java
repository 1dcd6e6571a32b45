package dev.holdfast.handler.repair;

import dev.holdfast.failure.Category;
import dev.holdfast.failure.ErrorReport;
import dev.holdfast.repair.RunEnd;
import dev.holdfast.repair.git.Delivery;
import dev.holdfast.repair.git.TicketRepositories;
import dev.holdfast.repair.git.TicketRepository;
import dev.holdfast.ticket.ClaimedTicket;
import dev.holdfast.ticket.Design;
import dev.holdfast.ticket.Review;
import dev.holdfast.worker.HandlerResult;
import java.io.IOException;
import java.util.Optional;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Brings results to where their design says: what a person has approved, or need not. */
record RepairDelivery(TicketRepositories repositories, RepairPorts.Approvals approvals) {
  /** A ticket of its own, for the worker and not the person's command has the repository. */
  HandlerResult deliver(ClaimedTicket claimed, RepairDesign design, DeliveryOrder order)
      throws IOException, InterruptedException {
    long designId = claimed.design().map(Design::id).orElse(0L);
    if (!approvals.has(order.ticketId(), designId)) {
      return held(
          "ticket " + order.ticketId() + " of this design is not approved by a person",
          "approve it, then release; what its design does not review is not delivered by another");
    }
    HandlerResult result = delivered(design, order);
    if (result instanceof HandlerResult.Succeeded) {
      repositories.delete(order.ticketId());
    }
    return result;
  }

  private HandlerResult delivered(RepairDesign design, DeliveryOrder order)
      throws IOException, InterruptedException {
    try (TicketRepository repository =
        repositories.open(order.ticketId(), design.repository(), Optional.of(order.base()))) {
      if (!repository.result().equals(Optional.of(order.commit()))) {
        return held(
            "the commit " + order.commit() + " is not on this worker's host",
            "deliver it by hand, or release this ticket where the repair was worked");
      }
      return switch (delivered(design, repository)) {
        case Delivery.Delivered done ->
            HandlerResult.done(json(done).put("ticket", order.ticketId()).toString());
        case Delivery.Refused refused ->
            held("not delivered", refused.reason() + ", then cancel this ticket");
        case Delivery.MovedOn moved ->
            held(
                "not delivered",
                moved.reason()
                    + ": "
                    + moved.step()
                    + " and cancel this ticket, or enqueue the repair again");
      };
    }
  }

  /** Delivers a result that no person looks at, before its ticket is done. */
  HandlerResult atOnce(
      RepairDesign design, RunEnd end, TicketRepository repository, HandlerResult result)
      throws IOException, InterruptedException {
    if (!isDue(design, end, result)) {
      return result;
    }
    return switch (delivered(design, repository)) {
      case Delivery.Delivered done -> result;
      case Delivery.Refused refused -> held("repaired, but not delivered", refused.reason());
      case Delivery.MovedOn moved ->
          held(
              "repaired, but not delivered",
              moved.reason() + ": " + moved.step() + ", or release the ticket with --fresh");
    };
  }

  /** Whether the result is to be delivered without a person. */
  static boolean isDue(RepairDesign design, RunEnd end, HandlerResult result) {
    return result instanceof HandlerResult.Succeeded succeeded
        && succeeded.review() != Review.HUMAN
        && design.onApprove() != RepairDesign.Delivery.NONE
        && !end.commit().isEmpty();
  }

  private static Delivery delivered(RepairDesign design, TicketRepository repository)
      throws IOException, InterruptedException {
    return switch (design.onApprove()) {
      case MERGE -> repository.merge();
      case PUSH -> repository.push();
      case NONE ->
          new Delivery.Refused(
              "the design does not say where to (on_approve is none): merge "
                  + repository.branch()
                  + " by hand");
    };
  }

  private static ObjectNode json(Delivery.Delivered done) {
    return JsonMapper.shared()
        .createObjectNode()
        .put("delivered_to", done.where())
        .put("commit", done.commit());
  }

  private static HandlerResult held(String what, String next) {
    return HandlerResult.held(
        "Not delivered: " + next,
        new ErrorReport(what + ": " + next, null, null, null, Category.CODE_ERROR, null));
  }
}
