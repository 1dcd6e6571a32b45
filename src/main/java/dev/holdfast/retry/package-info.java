/**
 * How long to wait before a ticket's next attempt, or whether a person must look: pure functions of
 * failure, history and settings.
 */
@NullMarked
package dev.holdfast.retry;

import org.jspecify.annotations.NullMarked;
