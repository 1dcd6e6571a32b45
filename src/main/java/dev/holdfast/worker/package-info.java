/**
 * The worker: pollers, one virtual thread per running ticket, completers, heartbeater, rescuer,
 * pruner, drain.
 */
@NullMarked
package dev.holdfast.worker;

import org.jspecify.annotations.NullMarked;
