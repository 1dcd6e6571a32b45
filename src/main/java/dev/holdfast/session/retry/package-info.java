/** Decides how a turn ends, and whether the same turn runs again: errors, waits and targets. */
@NullMarked
package dev.holdfast.session.retry;

import org.jspecify.annotations.NullMarked;
