/** Tickets of a table from before Holdfast are taken over. */
@NullMarked
package dev.holdfast.queue.takeover;

import org.jspecify.annotations.NullMarked;
