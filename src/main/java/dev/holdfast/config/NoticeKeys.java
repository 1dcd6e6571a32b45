package dev.holdfast.config;

import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;

/** The keys of mail, and of what people are told by the webhook and by mail. */
final class NoticeKeys {
  static final Keys.Section SECTION = new Keys.Section();

  /**
   * An address that the library of mail accepts. With one that it refuses, nobody would get any
   * mail.
   */
  private static final String ONE_ADDRESS =
      "[^\\s\\p{Cntrl}@<>(),:;\"\\\\\\[\\].]+(\\.[^\\s\\p{Cntrl}@<>(),:;\"\\\\\\[\\].]+)*"
          + "@([\\p{L}\\p{N}-]+(\\.[\\p{L}\\p{N}-]+)*|\\[[\\p{Alnum}.:]+])";

  private static final KeyType<String> ADDRESS =
      new KeyType.Text(Pattern.compile("|" + ONE_ADDRESS), "one mail address");

  static final Key<List<String>> EVENTS =
      SECTION.key(
          "webhooks.events",
          new KeyType.Texts(
              Pattern.compile("holds|outages|budgets|reviews|digest"),
              "holds, outages, budgets, reviews, digest"),
          "holds,outages,budgets",
          "What the webhook and the mail tell of: new holds, among them questions; outages of"
              + " providers and their ends; budgets that are nearly or wholly used up; results that"
              + " wait for review; a digest each day, at webhooks.digest-at.");
  static final Key<String> DIGEST_AT =
      SECTION.key(
          "webhooks.digest-at",
          new KeyType.Text(Pattern.compile("\\d\\d:\\d\\d \\S+"), "as 08:00 Europe/Berlin"),
          "08:00 UTC",
          "When the digest of each day is made, in the time of the zone.");
  static final Key<String> MAIL_SERVER =
      SECTION.key(
          "mail.server",
          new KeyType.Text(
              Pattern.compile("|smtps?://[^\\s/@]+"), "smtp://HOST[:PORT] or smtps://HOST[:PORT]"),
          "",
          "Who sends mail of what webhooks.events names. smtp is encrypted by STARTTLS where the"
              + " server offers it. Needs mail.from and mail.to.");
  static final Key<String> MAIL_USER =
      SECTION.key(
          "mail.user",
          KeyType.Text.ANY,
          "",
          "Under whom mail is sent; empty sends without a login.");
  static final Key<String> MAIL_PASSWORD =
      SECTION.secret("mail.password", KeyType.Text.ANY, "The password of mail.user.");
  static final Key<String> MAIL_FROM =
      SECTION.key("mail.from", ADDRESS, "", "The address that mail comes from.");
  static final Key<List<String>> MAIL_TO =
      SECTION.key(
          "mail.to",
          new KeyType.Texts(Pattern.compile(ONE_ADDRESS), "mail addresses"),
          "",
          "Who gets mail; each mail goes to all of them.");
  static final Key<Duration> MAIL_TIMEOUT =
      SECTION.key(
          "mail.timeout",
          new KeyType.Span(Duration.ofMillis(100), Duration.ofMinutes(1)),
          "10s",
          "How long the mail server may take for one step.");

  private NoticeKeys() {}
}
