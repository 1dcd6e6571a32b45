/** Tickets of kind {@code command}: a program of any language in a process tree of its own. */
@NullMarked
package dev.holdfast.handler.command;

import org.jspecify.annotations.NullMarked;
