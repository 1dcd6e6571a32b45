/** A model of leases and tickets, and a simulation that compares the real SQL with it. */
@NullMarked
package dev.holdfast.protocol;

import org.jspecify.annotations.NullMarked;
