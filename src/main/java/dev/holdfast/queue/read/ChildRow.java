package dev.holdfast.queue.read;

import org.jspecify.annotations.Nullable;

/** A ticket that a job has added. */
public record ChildRow(long id, @Nullable String title, String state) {}
