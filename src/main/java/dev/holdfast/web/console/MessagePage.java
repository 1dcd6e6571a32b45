package dev.holdfast.web.console;

/** A page that says one thing. */
public record MessagePage(Page page, String text) {}
