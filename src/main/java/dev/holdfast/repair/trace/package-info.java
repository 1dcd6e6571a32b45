/**
 * What a repair writes down while it runs, and what is read from it: events, traces, statistics.
 */
@NullMarked
package dev.holdfast.repair.trace;

import org.jspecify.annotations.NullMarked;
