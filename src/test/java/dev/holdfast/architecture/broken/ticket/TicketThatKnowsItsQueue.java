package dev.holdfast.architecture.broken.ticket;

import dev.holdfast.architecture.broken.queue.AnyQueue;

public record TicketThatKnowsItsQueue(AnyQueue queue) {}
