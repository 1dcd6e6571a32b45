/** How a turn ends, and whether the same turn is run again: errors, waits and targets. */
@NullMarked
package dev.holdfast.session.retry;

import org.jspecify.annotations.NullMarked;
