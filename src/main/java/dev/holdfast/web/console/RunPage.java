package dev.holdfast.web.console;

/**
 * An action on many tickets.
 *
 * @param id the id of the run
 * @param notice its result so far
 * @param back the page it was ordered from
 */
public record RunPage(
    Page page, String id, boolean isOver, long processed, long total, Notice notice, String back) {}
