/**
 * Failures: the value, its category, the classifier and its rules, the fingerprint and the retry
 * hint. Pure functions of the evidence, without clock and without I/O after loading.
 */
@NullMarked
package dev.holdfast.failure;

import org.jspecify.annotations.NullMarked;
