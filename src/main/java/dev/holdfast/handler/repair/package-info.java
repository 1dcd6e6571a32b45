/** Tickets of kind {@code repair}: a failing verification becomes a reviewed patch. */
@NullMarked
package dev.holdfast.handler.repair;

import org.jspecify.annotations.NullMarked;
