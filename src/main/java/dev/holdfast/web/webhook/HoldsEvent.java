package dev.holdfast.web.webhook;

import dev.holdfast.queue.PeopleNotices.HoldNotice;
import dev.holdfast.queue.PeopleNotices.Notice;
import dev.holdfast.web.console.view.Links;
import java.net.URI;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One event for many tickets that were held, with one error as a rule. */
final class HoldsEvent {
  /** The most ids in an event. The group that the link leads to has the others. */
  private static final int MOST_IDS = 50;

  private static final String MIXED = "different reasons";

  private HoldsEvent() {}

  /**
   * Makes the event.
   *
   * @param newest the newest of the group, whose words stand for all; its error does not where they
   *     have several
   */
  static NoticeEvent of(NoticeGroup group, HoldNotice newest, @Nullable URI console) {
    if (group.isMixed()) {
      return mixed(group, newest, console);
    }
    String link = NoticeEvent.link(console, path(newest));
    Map<String, @Nullable Object> data = new LinkedHashMap<>();
    data.put("count", group.size());
    data.put("ticket_ids", ids(group));
    data.put("hold_reason", newest.reason());
    data.put("error_category", newest.errorCategory());
    data.put("error_fingerprint", newest.errorFingerprint());
    data.put("error_title", newest.errorTitle());
    data.put("error", newest.error());
    data.put("url", link);
    String text =
        group.size() + " tickets wait for a person: " + newest.reason() + NoticeEvent.error(newest);
    String subject = Objects.requireNonNullElse(newest.errorFingerprint(), newest.reason());
    return event(group, subject, newest.at(), NoticeEvent.with(link, text), data, console);
  }

  private static NoticeEvent mixed(NoticeGroup group, HoldNotice newest, @Nullable URI console) {
    String link = NoticeEvent.link(console, "/inbox");
    Map<String, @Nullable Object> data = new LinkedHashMap<>();
    data.put("count", group.size());
    data.put("ticket_ids", ids(group));
    data.put("hold_reason", MIXED);
    data.put("url", link);
    String text =
        "%s more tickets wait for a person, for %s, the newest for: %s%s"
            .formatted(group.size(), MIXED, newest.reason(), NoticeEvent.error(newest));
    return event(group, MIXED, newest.at(), NoticeEvent.with(link, text), data, console);
  }

  private static NoticeEvent event(
      NoticeGroup group,
      String subject,
      Instant at,
      String text,
      Map<String, @Nullable Object> data,
      @Nullable URI console) {
    return new NoticeEvent(
        "holds-" + group.first().id() + "-" + group.last().id() + others(group),
        NoticeEvent.source(console),
        "dev.holdfast.tickets.held",
        subject,
        at,
        text,
        data);
  }

  /** A mixed group may come again with others between its first and its last one. */
  private static String others(NoticeGroup group) {
    int all = group.notices().stream().map(Notice::id).toList().hashCode();
    return group.isMixed() ? "-" + Integer.toHexString(all) : "";
  }

  private static List<Long> ids(NoticeGroup group) {
    return group.notices().stream()
        .filter(HoldNotice.class::isInstance)
        .map(notice -> ((HoldNotice) notice).ticketId())
        .limit(MOST_IDS)
        .toList();
  }

  /** Returns the path of the page. Holds without an error have no group of their own. */
  private static String path(HoldNotice hold) {
    String fingerprint = hold.errorFingerprint();
    String category = hold.errorCategory();
    return fingerprint == null || category == null ? "/inbox" : Links.group(fingerprint, category);
  }
}
