/**
 * Verification-guided repair: a loop of single repairs (L2), competing candidates (L3), and the
 * trace of both.
 */
@NullMarked
package dev.holdfast.repair;

import org.jspecify.annotations.NullMarked;
