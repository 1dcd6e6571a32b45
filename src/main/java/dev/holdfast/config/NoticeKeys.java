package dev.holdfast.config;

import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;

/** Of what people are told by the webhook and by mail, and the mail. */
final class NoticeKeys {
  private static final KeyType<String> ADDRESS =
      new KeyType.Text(Pattern.compile("|[^\\s@<>]+@[^\\s@<>]+"), "one mail address");

  static final Key<List<String>> EVENTS =
      Key.of(
          "webhooks.events",
          new KeyType.Texts(
              Pattern.compile("holds|outages|budgets|reviews|digest"),
              "holds, outages, budgets, reviews, digest"),
          "holds,outages,budgets",
          "What the webhook and the mail tell of: new holds, among them questions; outages of"
              + " providers and their ends; budgets that are nearly or wholly used up; results that"
              + " wait for review; a digest each day, at webhooks.digest-at.");
  static final Key<String> DIGEST_AT =
      Key.of(
          "webhooks.digest-at",
          new KeyType.Text(Pattern.compile("\\d\\d:\\d\\d \\S+"), "as 08:00 Europe/Berlin"),
          "08:00 UTC",
          "When the digest of each day is made, in the time of the zone.");
  static final Key<String> MAIL_SERVER =
      Key.of(
          "mail.server",
          new KeyType.Text(
              Pattern.compile("|smtps?://[^\\s/@]+"), "smtp://HOST[:PORT] or smtps://HOST[:PORT]"),
          "",
          "Who sends mail of what webhooks.events names. smtp is encrypted by STARTTLS where the"
              + " server offers it. Needs mail.from and mail.to.");
  static final Key<String> MAIL_USER =
      Key.of(
          "mail.user",
          KeyType.Text.ANY,
          "",
          "Under whom mail is sent; empty sends without a login.");
  static final Key<String> MAIL_PASSWORD =
      Key.secret("mail.password", KeyType.Text.ANY, "The password of mail.user.");
  static final Key<String> MAIL_FROM =
      Key.of("mail.from", ADDRESS, "", "The address that mail comes from.");
  static final Key<List<String>> MAIL_TO =
      Key.of(
          "mail.to",
          new KeyType.Texts(Pattern.compile("[^\\s@<>,]+@[^\\s@<>,]+"), "mail addresses"),
          "",
          "Who gets mail; each mail goes to all of them.");
  static final Key<Duration> MAIL_TIMEOUT =
      Key.of(
          "mail.timeout",
          new KeyType.Span(Duration.ofMillis(100), Duration.ofMinutes(1)),
          "10s",
          "How long the mail server may take for one step.");

  /** In the order of the documentation. */
  static final List<Key<?>> ALL =
      List.of(
          EVENTS,
          DIGEST_AT,
          MAIL_SERVER,
          MAIL_USER,
          MAIL_PASSWORD,
          MAIL_FROM,
          MAIL_TO,
          MAIL_TIMEOUT);

  private NoticeKeys() {}
}
