package dev.holdfast.queue;

import java.time.Duration;

/**
 * The time that finished tickets are kept, with their attempts and activity; zero keeps them for
 * ever. Tickets on hold or in review are always kept.
 */
public record Retention(Duration done, Duration cancelled, Duration stoppedWorkers) {}
