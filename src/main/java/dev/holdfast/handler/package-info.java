/** Handlers for each kind of ticket. */
@NullMarked
package dev.holdfast.handler;

import org.jspecify.annotations.NullMarked;
