package dev.holdfast.handler.design;

/**
 * A design document that was checked against its kind's schema.
 *
 * @param kind what its tickets' kind will be
 * @param definition the document as JSON text, to be stored
 */
public record ValidDesign(String kind, String definition) {}
