/**
 * {@code holdfast bench}: measures what the real worker does through the public API, beside the raw
 * probe that does the same durable work.
 */
@NullMarked
package dev.holdfast.bench;

import org.jspecify.annotations.NullMarked;
