/** Limits: how many tickets of a queue or a design may run at once, and start in a time. */
@NullMarked
package dev.holdfast.limit;

import org.jspecify.annotations.NullMarked;
