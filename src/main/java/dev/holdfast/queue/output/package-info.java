/** Output of the programs of tickets: its pieces, their store, and the reading of them. */
@NullMarked
package dev.holdfast.queue.output;

import org.jspecify.annotations.NullMarked;
