/** Takes over the tickets of a table from before Holdfast. */
@NullMarked
package dev.holdfast.queue.takeover;

import org.jspecify.annotations.NullMarked;
