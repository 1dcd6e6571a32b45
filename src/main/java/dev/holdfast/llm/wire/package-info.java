/**
 * Shared by the vendors' adapters: one request on a thread of its own, its deadline, its errors.
 */
@NullMarked
package dev.holdfast.llm.wire;

import org.jspecify.annotations.NullMarked;
