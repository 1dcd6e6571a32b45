package dev.holdfast.config;

import java.net.URI;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What people are told, and how.
 *
 * @param events holds, outages, budgets, reviews, digest
 * @param webhook null where none is configured; so is mail
 * @param giveUpAfter how long one event is tried
 * @param consoleAddress where people reach the console, for links; null gives none
 * @param groupWait how long a hold waits for others with the same error; with zero each is told by
 *     itself
 * @param quietHours when nothing is sent; null is never
 * @param digestTime the time of each day's digest
 */
public record NoticeSettings(
    List<String> events,
    @Nullable WebhookSettings webhook,
    @Nullable Mail mail,
    Duration giveUpAfter,
    @Nullable URI consoleAddress,
    Duration groupWait,
    @Nullable QuietHours quietHours,
    LocalTime digestTime,
    ZoneId digestZone) {
  /**
   * Mail to people.
   *
   * @param user null sends without a login
   */
  public record Mail(
      URI server,
      @Nullable String user,
      @Nullable String password,
      String from,
      List<String> to,
      Duration timeout) {
    /** Returns null where no server is configured. */
    static @Nullable Mail of(Values values) {
      String server = values.get(NoticeKeys.MAIL_SERVER);
      if (server.isEmpty()) {
        return null;
      }
      String from = values.get(NoticeKeys.MAIL_FROM);
      List<String> to = values.get(NoticeKeys.MAIL_TO);
      if (from.isEmpty() || to.isEmpty()) {
        throw new ConfigException(
            "mail.server needs mail.from and mail.to: from whom mail comes, and who gets it");
      }
      String user = values.get(NoticeKeys.MAIL_USER);
      return new Mail(
          WebhookSettings.uri("mail.server", server),
          user.isEmpty() ? null : user,
          user.isEmpty() ? null : values.get(NoticeKeys.MAIL_PASSWORD),
          from,
          to,
          values.get(NoticeKeys.MAIL_TIMEOUT));
    }

    @Override
    public String toString() {
      return "Mail[***]";
    }
  }

  /**
   * A part of each day in which people are left alone.
   *
   * @param from its first minute by the day's clock; later than {@code to} where it goes over
   *     midnight
   * @param to the first minute after it
   */
  public record QuietHours(LocalTime from, LocalTime to, ZoneId zone) {
    /**
     * Reads {@code 22:00-07:00 Europe/Berlin}; returns null for nothing.
     *
     * @throws ConfigException if a time or the zone is not valid; the message says which
     */
    static @Nullable QuietHours parse(@Nullable String text) {
      if (text == null || text.isEmpty()) {
        return null;
      }
      try {
        String[] parts = text.split("[- ]", 3);
        return new QuietHours(
            LocalTime.parse(parts[0]), LocalTime.parse(parts[1]), ZoneId.of(parts[2]));
      } catch (DateTimeException e) {
        throw new ConfigException(
            "webhooks.quiet-hours: " + e.getMessage() + "; write it as 22:00-07:00 Europe/Berlin",
            e);
      }
    }

    /** Returns true if the time is in these hours. Hours that begin when they end are empty. */
    public boolean contains(Instant time) {
      LocalTime clock = time.atZone(zone).toLocalTime();
      return from.isBefore(to)
          ? !clock.isBefore(from) && clock.isBefore(to)
          : !from.equals(to) && (!clock.isBefore(from) || clock.isBefore(to));
    }
  }

  static NoticeSettings of(Values values) {
    String console = values.get(WebKeys.WEBHOOKS_CONSOLE_URL);
    String[] digest = values.get(NoticeKeys.DIGEST_AT).split(" ", 2);
    try {
      return new NoticeSettings(
          values.get(NoticeKeys.EVENTS),
          WebhookSettings.of(values),
          Mail.of(values),
          values.get(WebKeys.WEBHOOKS_GIVE_UP_AFTER),
          console == null || console.isEmpty()
              ? null
              : WebhookSettings.uri("webhooks.console-url", console),
          values.get(WebKeys.WEBHOOKS_GROUP_WAIT),
          QuietHours.parse(values.get(WebKeys.WEBHOOKS_QUIET_HOURS)),
          LocalTime.parse(digest[0]),
          ZoneId.of(digest[1]));
    } catch (DateTimeException e) {
      throw new ConfigException(
          "webhooks.digest-at: " + e.getMessage() + "; write it as 08:00 Europe/Berlin", e);
    }
  }

  @Override
  public String toString() {
    return "NoticeSettings[***]";
  }
}
