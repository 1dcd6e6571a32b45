package dev.holdfast.queue.view;

/**
 * A design in the list of all.
 *
 * @param version the latest
 * @param versions how many there are
 * @param tickets how many of the newest tickets have it, in any version
 * @param succeeded how many of those are done or wait for their review
 * @param held how many of those wait for a person, or were cancelled
 */
public record DesignLine(
    String name, String kind, int version, long versions, long tickets, long succeeded, long held) {
  /** In per cent of those that have come to an end or to a person; "" where none has. */
  public String successRate() {
    long ended = succeeded + held;
    return ended == 0 ? "" : Math.round(100.0 * succeeded / ended) + " %";
  }
}
