/**
 * The worker: pollers, one virtual thread per running ticket, completer, heartbeater, rescuer,
 * pruner, drain.
 */
@NullMarked
package dev.holdfast.worker;

import org.jspecify.annotations.NullMarked;
