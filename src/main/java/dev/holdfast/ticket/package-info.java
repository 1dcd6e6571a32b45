/** Ids, states, the table of legal transitions, leases and attempts. Imports nothing of ours. */
@NullMarked
package dev.holdfast.ticket;

import org.jspecify.annotations.NullMarked;
