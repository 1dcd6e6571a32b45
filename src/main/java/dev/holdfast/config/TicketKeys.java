package dev.holdfast.config;

import java.time.Duration;

/** The keys of the size of tickets, and of the time they are kept. */
final class TicketKeys {
  static final Keys.Section SECTION = new Keys.Section();

  private static final Duration DAY = Duration.ofDays(1);
  private static final Duration TEN_YEARS = Duration.ofDays(3650);

  static final Key<Duration> RETENTION_DONE =
      SECTION.key(
          "retention.done",
          new KeyType.Span(Duration.ZERO, TEN_YEARS),
          "30d",
          "How long done tickets are kept, reviewed ones from their approval on. 0 is for ever.");
  static final Key<Duration> RETENTION_CANCELLED =
      SECTION.key(
          "retention.cancelled",
          new KeyType.Span(Duration.ZERO, TEN_YEARS),
          "30d",
          "How long cancelled tickets are kept. 0 is for ever.");
  static final Key<Duration> RETENTION_STOPPED_WORKERS =
      SECTION.key(
          "retention.stopped-workers",
          new KeyType.Span(Duration.ZERO, TEN_YEARS),
          "1d",
          "How long the rows of workers that are gone are kept. 0 is for ever.");
  static final Key<Duration> RETENTION_WORKSPACES =
      SECTION.key(
          "retention.workspaces",
          new KeyType.Span(Duration.ZERO, TEN_YEARS),
          "7d",
          "How long the workspace of an agent's ticket is kept after the ticket was approved or"
              + " cancelled. 0 is for ever; so is what is kept longer than its ticket.");
  static final Key<Duration> RETENTION_INTERVAL =
      SECTION.key(
          "retention.interval",
          new KeyType.Span(Duration.ZERO, DAY),
          "1h",
          "How often workers delete what is kept no longer. 0 is never.");
  static final Key<Integer> PAYLOAD_MAX_BYTES =
      SECTION.key(
          "payload.max-bytes",
          new KeyType.Whole("bytes", 2, 200 * 1024 * 1024),
          "1048576",
          "The largest payload a ticket may have, as UTF-8 JSON.");

  static final Key<Integer> PAYLOAD_MAX_EXPANDED_BYTES =
      SECTION.key(
          "payload.max-expanded-bytes",
          new KeyType.Whole("bytes", 65_536, 1_000_000_000),
          "16777216",
          "The largest payload as the database writes it out, where 1e100000 has all its digits."
              + " Longer ones are refused, and held instead of run.");
  static final Key<Integer> CLAIM_MAX_BYTES =
      SECTION.key(
          "claim.max-bytes",
          new KeyType.Whole("bytes", 65_536, 1_000_000_000),
          "33554432",
          "Payloads, with the results of other tickets that they are given, of more than 16 KiB"
              + " that a worker has under way at a time, in bytes: a claim ends with the one that"
              + " reaches it.");

  private TicketKeys() {}
}
