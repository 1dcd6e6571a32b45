/** {@code holdfast schedule}: tickets that are made again and again. */
@NullMarked
package dev.holdfast.cli.schedule;

import org.jspecify.annotations.NullMarked;
