/** {@code holdfast batch}. */
@NullMarked
package dev.holdfast.cli.batch;

import org.jspecify.annotations.NullMarked;
