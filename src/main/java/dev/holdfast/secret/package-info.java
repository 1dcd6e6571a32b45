/** The secrets of a process, and how they are removed from everything that leaves it. */
@NullMarked
package dev.holdfast.secret;

import org.jspecify.annotations.NullMarked;
