/** What works the tickets of each kind. */
@NullMarked
package dev.holdfast.handler;

import org.jspecify.annotations.NullMarked;
