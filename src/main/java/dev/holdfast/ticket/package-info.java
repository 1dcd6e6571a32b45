/**
 * Tickets: what one is, its states, its design, its lease, and guidance. Imports nothing of ours.
 */
@NullMarked
package dev.holdfast.ticket;

import org.jspecify.annotations.NullMarked;
