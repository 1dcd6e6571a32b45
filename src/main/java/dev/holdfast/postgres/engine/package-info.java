/**
 * The engine: claims and ends of tickets, the judgement of failures, rescue, prune and wake-ups.
 */
@NullMarked
package dev.holdfast.postgres.engine;

import org.jspecify.annotations.NullMarked;
