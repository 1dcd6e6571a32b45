package dev.holdfast.config;

import dev.holdfast.queue.Retention;
import java.time.Duration;

/**
 * What is deleted when.
 *
 * @param kept how long what is kept
 * @param workspaces how long the workspace of an agent's ticket after the ticket's end; zero is for
 *     ever
 * @param interval how often workers delete what is kept no longer; zero is never
 */
public record RetentionSettings(Retention kept, Duration workspaces, Duration interval) {
  static RetentionSettings of(Values values) {
    return new RetentionSettings(
        new Retention(
            values.get(TicketKeys.RETENTION_DONE),
            values.get(TicketKeys.RETENTION_CANCELLED),
            values.get(TicketKeys.RETENTION_STOPPED_WORKERS)),
        values.get(TicketKeys.RETENTION_WORKSPACES),
        values.get(TicketKeys.RETENTION_INTERVAL));
  }
}
