package dev.holdfast.web.webhook;

import dev.holdfast.queue.PeopleNotices.BudgetNotice;
import dev.holdfast.queue.PeopleNotices.DigestNotice;
import dev.holdfast.queue.PeopleNotices.HoldNotice;
import dev.holdfast.queue.PeopleNotices.Notice;
import dev.holdfast.queue.PeopleNotices.OutageNotice;
import dev.holdfast.queue.PeopleNotices.ReviewNotice;
import dev.holdfast.web.Bodies;
import java.net.URI;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A notice for people as a CloudEvent of version 1.0 in JSON.
 *
 * @param id the same for each delivery of one notice
 * @param subject the ticket's number or the provider
 * @param text the text for receivers such as chats, which show one text
 */
record NoticeEvent(
    String id,
    String source,
    String type,
    String subject,
    Instant time,
    String text,
    Map<String, @Nullable Object> data) {
  static final String TEXT_MEDIA_TYPE = "application/json; charset=utf-8";
  static final String MEDIA_TYPE = "application/cloudevents+json; charset=utf-8";

  /**
   * Makes the event of a group.
   *
   * @param console where people reach it, for links
   */
  static NoticeEvent of(NoticeGroup group, @Nullable URI console) {
    return group.size() > 1 && group.last() instanceof HoldNotice newest
        ? HoldsEvent.of(group, newest, console)
        : of(group.first(), console);
  }

  private static NoticeEvent of(Notice notice, @Nullable URI console) {
    return switch (notice) {
      case HoldNotice hold -> of(hold, console);
      case OutageNotice outage -> of(outage, console);
      case BudgetNotice budget -> SummaryEvents.of(budget, console);
      case ReviewNotice review -> SummaryEvents.of(review, console);
      case DigestNotice digest -> SummaryEvents.of(digest, console);
    };
  }

  /** Returns the facts of the event for mails, a line each. */
  String details() {
    StringBuilder lines = new StringBuilder();
    data.forEach(
        (name, value) -> {
          if (value != null) {
            lines.append(name.replace('_', ' ')).append(": ").append(value).append('\n');
          }
        });
    return lines.toString();
  }

  /** Returns only the sentence, as chats take it. What is markup to Slack is escaped. */
  String textJson() {
    String plain = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    return Bodies.json(Map.of("text", plain));
  }

  String json() {
    Map<String, @Nullable Object> event = new LinkedHashMap<>();
    event.put("specversion", "1.0");
    event.put("id", id);
    event.put("source", source);
    event.put("type", type);
    event.put("subject", subject);
    event.put("time", time);
    event.put("datacontenttype", "application/json");
    event.put("text", text);
    event.put("data", data);
    return Bodies.json(event);
  }

  private static NoticeEvent of(HoldNotice hold, @Nullable URI console) {
    String link = link(console, "/tickets/" + hold.ticketId());
    Map<String, @Nullable Object> data = new LinkedHashMap<>();
    data.put("ticket_id", hold.ticketId());
    data.put("queue", hold.queue());
    data.put("kind", hold.kind());
    data.put("title", hold.title());
    data.put("hold_reason", hold.reason());
    data.put("held_by", hold.actor());
    data.put("error_category", hold.errorCategory());
    data.put("error_fingerprint", hold.errorFingerprint());
    data.put("error_title", hold.errorTitle());
    data.put("error", hold.error());
    data.put("url", link);
    String title = hold.title() == null ? "" : " (" + hold.title() + ")";
    return new NoticeEvent(
        "hold-" + hold.id(),
        source(console),
        "dev.holdfast.ticket.held",
        "" + hold.ticketId(),
        hold.at(),
        with(
            link,
            "Ticket #"
                + hold.ticketId()
                + title
                + " waits for a person: "
                + hold.reason()
                + error(hold)),
        data);
  }

  /** Returns the error of the ticket, where the reason does not contain it; "" otherwise. */
  static String error(HoldNotice hold) {
    String title = hold.errorTitle();
    return title == null || hold.reason().contains(title) ? "" : ", after: " + title;
  }

  private static NoticeEvent of(OutageNotice outage, @Nullable URI console) {
    String link = link(console, "/providers");
    Map<String, @Nullable Object> data = new LinkedHashMap<>();
    data.put("provider", outage.provider());
    data.put("since", outage.since());
    data.put("reason", outage.reason());
    data.put("detail", outage.detail());
    data.put("url", link);
    String text =
        outage.over()
            ? outage.provider() + " answers again; it did not since " + outage.since()
            : outage.words() + ": what needs it waits";
    return new NoticeEvent(
        "outage-" + outage.id(),
        source(console),
        "dev.holdfast.provider." + (outage.over() ? "answers" : "outage"),
        outage.provider(),
        outage.at(),
        with(link, text),
        data);
  }

  static String source(@Nullable URI console) {
    return console == null ? "/holdfast" : console.toString();
  }

  static String with(@Nullable String link, String text) {
    return text + (link == null ? "" : " " + link);
  }

  static @Nullable String link(@Nullable URI console, String path) {
    return console == null ? null : console.toString().replaceAll("/+$", "") + path;
  }
}
