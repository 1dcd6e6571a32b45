/** The only composition root, and {@code main}. */
@NullMarked
package dev.holdfast.app;

import org.jspecify.annotations.NullMarked;
