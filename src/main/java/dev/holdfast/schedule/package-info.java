/**
 * Schedules: which time of the clock comes next, what a missed one leads to, and the loop that
 * makes their tickets.
 */
@NullMarked
package dev.holdfast.schedule;

import org.jspecify.annotations.NullMarked;
