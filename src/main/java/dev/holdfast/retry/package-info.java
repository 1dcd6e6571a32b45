/**
 * Decides how long a ticket waits before its next attempt, or that a person must look: pure
 * functions of failure, history and settings.
 */
@NullMarked
package dev.holdfast.retry;

import org.jspecify.annotations.NullMarked;
