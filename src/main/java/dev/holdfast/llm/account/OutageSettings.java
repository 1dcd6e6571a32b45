package dev.holdfast.llm.account;

import java.time.Duration;

/**
 * The settings for telling people of a provider's outage.
 *
 * @param noticeAfter how long it has to last before they are told, once; zero is never
 * @param holdAfter how long a ticket is put off without one answer before it is held; zero is never
 */
public record OutageSettings(Duration noticeAfter, Duration holdAfter) {
  /** The documented defaults. */
  public static final OutageSettings DEFAULT =
      new OutageSettings(Duration.ofMinutes(15), Duration.ofHours(6));
}
