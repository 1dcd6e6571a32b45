package dev.holdfast.web;

import dev.holdfast.queue.HoldNotices.HoldNotice;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A new hold as a CloudEvent of version 1.0 in JSON. */
final class HoldEvent {
  static final String MEDIA_TYPE = "application/cloudevents+json; charset=utf-8";

  private HoldEvent() {}

  /** The same for each delivery of one hold. */
  static String id(HoldNotice notice) {
    return "hold-" + notice.id();
  }

  static String json(HoldNotice notice, @Nullable URI console) {
    Map<String, @Nullable Object> event = new LinkedHashMap<>();
    event.put("specversion", "1.0");
    event.put("id", id(notice));
    event.put("source", console == null ? "/holdfast" : console.toString());
    event.put("type", "dev.holdfast.ticket.held");
    event.put("subject", "" + notice.ticketId());
    event.put("time", notice.at());
    event.put("datacontenttype", "application/json");
    String link = link(notice, console);
    // For receivers such as chats, which show one text.
    event.put("text", text(notice) + (link == null ? "" : " " + link));
    Map<String, @Nullable Object> data = new LinkedHashMap<>();
    data.put("ticket_id", notice.ticketId());
    data.put("queue", notice.queue());
    data.put("kind", notice.kind());
    data.put("title", notice.title());
    data.put("hold_reason", notice.reason());
    data.put("held_by", notice.actor());
    data.put("error_category", notice.errorCategory());
    data.put("error_fingerprint", notice.errorFingerprint());
    data.put("error", notice.error());
    data.put("url", link);
    event.put("data", data);
    return Bodies.json(event);
  }

  private static String text(HoldNotice notice) {
    String title = notice.title() == null ? "" : " (" + notice.title() + ")";
    return "Ticket #" + notice.ticketId() + title + " waits for a person: " + notice.reason();
  }

  private static @Nullable String link(HoldNotice notice, @Nullable URI console) {
    return console == null
        ? null
        : console.toString().replaceAll("/+$", "") + "/tickets/" + notice.ticketId();
  }
}
