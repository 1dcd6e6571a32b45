/** Tickets of kind {@code agent}: a model works them with tools until it reports. */
@NullMarked
package dev.holdfast.handler.agent;

import org.jspecify.annotations.NullMarked;
