/** The database side of {@code dev.holdfast.testing}. */
@NullMarked
package dev.holdfast.postgres.testing;

import org.jspecify.annotations.NullMarked;
