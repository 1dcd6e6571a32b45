package dev.holdfast.ticket;

/**
 * A named, versioned definition of how a kind of ticket is worked; never changed in place.
 *
 * @param definition the document as JSON text
 */
public record Design(long id, String name, int version, String kind, String definition) {}
