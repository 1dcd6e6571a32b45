/** Verification commands: run, bounded, and read for what failed. */
@NullMarked
package dev.holdfast.repair.verify;

import org.jspecify.annotations.NullMarked;
