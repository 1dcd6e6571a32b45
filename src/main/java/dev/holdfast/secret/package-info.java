/** The secrets of a process, and how they are taken out of whatever leaves it. */
@NullMarked
package dev.holdfast.secret;

import org.jspecify.annotations.NullMarked;
