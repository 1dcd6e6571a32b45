package dev.holdfast.ticket;

import java.time.Instant;

/**
 * A person's words for the next attempts of a ticket.
 *
 * @param text what they said
 * @param author who said it
 * @param source {@code release} or {@code reject}
 */
public record Guidance(String text, String author, String source, Instant givenAt) {}
