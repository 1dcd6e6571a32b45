package dev.holdfast.queue.view;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A ticket that a worker runs now. */
public record RunningTicket(String workerId, long id, @Nullable String title, Instant claimedAt) {}
