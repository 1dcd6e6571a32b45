/** {@code holdfast schedule}: tickets that come again and again. */
@NullMarked
package dev.holdfast.cli.schedule;

import org.jspecify.annotations.NullMarked;
