/** The records of a repair, and the reading of them: events, traces, statistics. */
@NullMarked
package dev.holdfast.repair.trace;

import org.jspecify.annotations.NullMarked;
