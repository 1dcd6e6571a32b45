/** Repairs: from a failing check to a verified patch. */
@NullMarked
package dev.holdfast.repair;

import org.jspecify.annotations.NullMarked;
