package dev.holdfast.handler.repair;

import dev.holdfast.ticket.InvalidInputException;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The payload of a ticket that brings an approved result where its design says; {@code
 * approve_ticket} writes it.
 *
 * @param ticketId whose result it is
 * @param base the commit that the result is based on
 * @param commit the result
 */
record DeliveryOrder(long ticketId, String base, String commit) {
  /** Reads the order in a payload; empty where the payload is that of a repair. */
  static Optional<DeliveryOrder> in(String payload) {
    JsonNode order = JsonMapper.shared().readTree(payload).path("deliver");
    if (order.isMissingNode()) {
      return Optional.empty();
    }
    long ticketId = order.path("ticket").asLong(0);
    String base = order.path("base_commit").asString("");
    String commit = order.path("commit").asString("");
    if (ticketId < 1 || base.isEmpty() || commit.isEmpty()) {
      throw new InvalidInputException(
          "payload.deliver is made when a repair is approved and needs ticket, base_commit and"
              + " commit: cancel this ticket, and approve the repair itself");
    }
    return Optional.of(new DeliveryOrder(ticketId, base, commit));
  }
}
