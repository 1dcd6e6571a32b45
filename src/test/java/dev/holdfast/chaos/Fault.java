package dev.holdfast.chaos;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Something that the harness did.
 *
 * @param worker whom it struck; null for everybody
 * @param ended null where it lasts: the dead stay dead
 */
record Fault(String what, @Nullable String worker, Instant began, @Nullable Instant ended) {}
