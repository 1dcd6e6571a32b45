/** The entry point for programs that embed Holdfast: {@link dev.holdfast.Holdfast}. */
@NullMarked
package dev.holdfast;

import org.jspecify.annotations.NullMarked;
