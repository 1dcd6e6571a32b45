/**
 * The commands: what one types, and what is printed. They see the ports only; the composition root
 * gives them what they need.
 */
@NullMarked
package dev.holdfast.cli;

import org.jspecify.annotations.NullMarked;
