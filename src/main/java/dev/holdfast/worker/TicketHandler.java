package dev.holdfast.worker;

/**
 * Works one kind of ticket. Called on a virtual thread of its own per ticket; must be thread-safe.
 * It is interrupted when the ticket is cancelled or held by a person, when the worker stops, or
 * when the lease is about to be lost: it should then end soon. Whatever it throws is a failure of
 * the attempt.
 */
@FunctionalInterface
public interface TicketHandler {
  HandlerResult handle(TicketContext context) throws Exception;
}
