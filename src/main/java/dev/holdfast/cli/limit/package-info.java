/** {@code holdfast limit}. */
@NullMarked
package dev.holdfast.cli.limit;

import org.jspecify.annotations.NullMarked;
