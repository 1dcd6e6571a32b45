/** The port that reads: tickets, attempts, queues, workers, and feeds of what changes. */
@NullMarked
package dev.holdfast.queue.read;

import org.jspecify.annotations.NullMarked;
