/**
 * The program {@code holdfast} itself: its common options, its help, its errors, and the back end
 * that commands ask.
 */
@NullMarked
package dev.holdfast.cli.root;

import org.jspecify.annotations.NullMarked;
