package dev.holdfast.web.webhook;

import dev.holdfast.queue.PeopleNotices.DigestNotice;
import dev.holdfast.queue.PeopleNotices.ReviewNotice;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Events that sum up what happened to many tickets. */
final class SummaryEvents {
  private SummaryEvents() {}

  static NoticeEvent of(ReviewNotice review, @Nullable URI console) {
    String link = NoticeEvent.link(console, "/tickets?state=needs_review");
    Map<String, @Nullable Object> data = new LinkedHashMap<>();
    data.put("count", review.count());
    data.put("design", review.design());
    data.put("ticket_ids", review.ticketIds());
    data.put("url", link);
    String of = review.design() == null ? "" : " of " + review.design();
    String text =
        review.count() == 1
            ? "A result" + of + " waits for review: ticket #" + review.ticketIds().getFirst()
            : review.count() + " results" + of + " wait for review";
    return new NoticeEvent(
        "review-" + review.id(),
        NoticeEvent.source(console),
        "dev.holdfast.tickets.review",
        review.design() == null ? "review" : review.design(),
        review.at(),
        NoticeEvent.with(link, text),
        data);
  }

  static NoticeEvent of(DigestNotice digest, @Nullable URI console) {
    String link = NoticeEvent.link(console, "/");
    Map<String, @Nullable Object> data = new LinkedHashMap<>();
    data.put("on_hold", digest.onHold());
    data.put("in_review", digest.inReview());
    data.put("ready", digest.ready());
    data.put("succeeded_24h", digest.succeeded());
    data.put("failed_24h", digest.failed());
    data.put("cost_usd_24h", digest.costUsd());
    data.put("url", link);
    String cost =
        digest.costUsd() == null ? "" : ", for " + digest.costUsd().toPlainString() + " USD";
    String text =
        digest.onHold()
            + " tickets are on hold and "
            + digest.inReview()
            + " in review, "
            + digest.ready()
            + " ready; in 24 hours "
            + digest.succeeded()
            + " attempts succeeded and "
            + digest.failed()
            + " failed"
            + cost;
    return new NoticeEvent(
        "digest-" + digest.id(),
        NoticeEvent.source(console),
        "dev.holdfast.digest",
        "digest",
        digest.at(),
        NoticeEvent.with(link, text),
        data);
  }
}
