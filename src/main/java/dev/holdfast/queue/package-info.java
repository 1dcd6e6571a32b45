/** Ports of the durable queue: enqueue, claim, heartbeat, finish, rescue, release, prune. */
@NullMarked
package dev.holdfast.queue;

import org.jspecify.annotations.NullMarked;
