/** Hostile input for every parser of foreign text: docs/reliability.md says how to run it. */
@NullMarked
package dev.holdfast.fuzz;

import org.jspecify.annotations.NullMarked;
