/** What the programs of tickets print: its pieces, where they are stored, and as they are read. */
@NullMarked
package dev.holdfast.queue.output;

import org.jspecify.annotations.NullMarked;
