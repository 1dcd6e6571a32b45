/** Commands that change tickets and queues. */
@NullMarked
package dev.holdfast.cli.ticket;

import org.jspecify.annotations.NullMarked;
