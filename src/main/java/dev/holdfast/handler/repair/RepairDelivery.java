package dev.holdfast.handler.repair;

import dev.holdfast.failure.Category;
import dev.holdfast.failure.ErrorReport;
import dev.holdfast.repair.GitRepairRepository;
import dev.holdfast.repair.RepairRun;
import dev.holdfast.repair.RunEnd;
import dev.holdfast.repair.RunHistory;
import dev.holdfast.repair.git.Delivery;
import dev.holdfast.repair.git.RepositoryException;
import dev.holdfast.repair.git.TicketRepository;
import dev.holdfast.session.journal.JournalEntry;
import dev.holdfast.ticket.ClaimedTicket;
import dev.holdfast.ticket.Design;
import dev.holdfast.ticket.Review;
import dev.holdfast.worker.HandlerResult;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Brings results to the place that their design names: those that a person has approved, or need
 * not approve.
 */
record RepairDelivery(RepairPorts ports) {
  private static final Logger LOG = LoggerFactory.getLogger(RepairDelivery.class);

  /**
   * Works on a ticket that delivers a result. Such a ticket exists because the worker has the
   * repository, not the person's command.
   */
  HandlerResult deliver(ClaimedTicket claimed, RepairDesign design, DeliveryOrder order)
      throws IOException, InterruptedException {
    long designId = claimed.design().map(Design::id).orElse(0L);
    if (!ports.approvals().has(order.ticketId(), designId)) {
      return held(
          "ticket " + order.ticketId() + " of this design is not approved by a person",
          "approve it, then release; what its design does not review is not delivered by another");
    }
    HandlerResult result = delivered(claimed, design, order);
    if (result instanceof HandlerResult.Succeeded) {
      delete(order.ticketId());
    }
    return result;
  }

  private HandlerResult delivered(ClaimedTicket claimed, RepairDesign design, DeliveryOrder order)
      throws IOException, InterruptedException {
    try (TicketRepository repository =
        ports
            .repositories()
            .open(order.ticketId(), design.repository(), Optional.of(order.base()))) {
      if (!repository.result().equals(Optional.of(order.commit()))) {
        Optional<RunEnd> end = end(order, claimed.lease().no());
        if (end.isEmpty()) {
          return held(
              "the commit %s is neither on this worker's host nor in the journal of ticket %s"
                  .formatted(order.commit(), order.ticketId()),
              "deliver it by hand from the host where the repair was worked, then cancel this"
                  + " ticket");
        }
        bring(order.ticketId(), design, end.get(), repository);
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

  /**
   * Returns what the repair's journal says of the result, so that an order cannot name another
   * commit.
   */
  private Optional<RunEnd> end(DeliveryOrder order, long leaseNo) {
    List<JournalEntry> entries = ports.journals().open(order.ticketId(), leaseNo).entries();
    return Optional.ofNullable(RunHistory.of(order.ticketId(), entries).end())
        .filter(
            end ->
                end.commit().id().equals(order.commit()) && end.baseCommit().equals(order.base()));
  }

  /**
   * Brings a result here that another worker has made. A result that only that worker's host has is
   * made again from its diff. The commit is the same, because it has the same dates.
   */
  private void bring(long ticketId, RepairDesign design, RunEnd end, TicketRepository repository)
      throws IOException, InterruptedException {
    if (!repository.take(end.commit().id())) {
      new GitRepairRepository(
              repository, ports.tools().get(design.network()), design.patch(), design.verify())
          .commit(
              end.tree(),
              RepairRun.message(design.goal(), ticketId),
              Instant.ofEpochSecond(end.commit().at()));
    }
  }

  /** Delivers a result that no person looks at, before its ticket is done. */
  HandlerResult atOnce(
      long ticketId,
      RepairDesign design,
      RunEnd end,
      TicketRepository repository,
      HandlerResult result)
      throws IOException, InterruptedException {
    if (!isDue(design, end, result)) {
      return result;
    }
    if (!repository.result().equals(Optional.of(end.commit().id()))) {
      bring(ticketId, design, end, repository);
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

  /**
   * Deletes the ticket's copy once {@link #atOnce} has delivered the result, because nobody needs
   * it any more.
   */
  void deleteDelivered(long ticketId, RepairDesign design, RunEnd end, HandlerResult result) {
    if (isDue(design, end, result)) {
      delete(ticketId);
    }
  }

  /**
   * Deletes the copy. A failure does not undo the delivery; a program that was left behind may
   * still write here.
   */
  private void delete(long ticketId) {
    try {
      ports.repositories().delete(ticketId);
    } catch (IOException | RepositoryException e) {
      LOG.warn("the copy of ticket {} cannot be deleted: {}", ticketId, e.toString());
    }
  }

  /** True if the result is to be delivered without a person. */
  static boolean isDue(RepairDesign design, RunEnd end, HandlerResult result) {
    return result instanceof HandlerResult.Succeeded succeeded
        && succeeded.review() != Review.HUMAN
        && design.onApprove() != RepairDesign.Delivery.NONE
        && !end.commit().id().isEmpty();
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
