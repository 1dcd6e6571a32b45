package dev.holdfast.web.console.view;

import dev.holdfast.queue.read.EventLine;
import dev.holdfast.queue.read.TimelineEntry;
import java.time.Instant;

/** Something that happened to a ticket, in words. */
public record TimelineLine(Instant at, String words) {
  public static TimelineLine of(TimelineEntry entry) {
    return new TimelineLine(entry.at(), EventLine.of(entry));
  }
}
