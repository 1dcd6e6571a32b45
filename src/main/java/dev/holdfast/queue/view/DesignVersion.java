package dev.holdfast.queue.view;

import java.time.Instant;

/**
 * A version of a design.
 *
 * @param definition the document as JSON text
 */
public record DesignVersion(
    String name,
    int version,
    String kind,
    String definition,
    Instant createdAt,
    String createdBy) {}
