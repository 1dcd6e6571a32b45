package dev.holdfast.config;

import dev.holdfast.queue.Retention;
import java.time.Duration;

/**
 * What is deleted when.
 *
 * @param kept how long what is kept
 * @param interval how often workers delete what is kept no longer; zero is never
 */
public record RetentionSettings(Retention kept, Duration interval) {
  static RetentionSettings of(Values values) {
    return new RetentionSettings(
        new Retention(
            values.get(TicketKeys.RETENTION_DONE),
            values.get(TicketKeys.RETENTION_CANCELLED),
            values.get(TicketKeys.RETENTION_STOPPED_WORKERS)),
        values.get(TicketKeys.RETENTION_INTERVAL));
  }
}
