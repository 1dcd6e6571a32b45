package dev.holdfast.web.webhook;

import dev.holdfast.queue.PeopleNotices.BudgetNotice;
import dev.holdfast.queue.PeopleNotices.DigestNotice;
import dev.holdfast.queue.PeopleNotices.ReviewNotice;
import java.math.BigDecimal;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Makes the events of no single ticket: results for review, budgets, the digest of a day. */
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

  static NoticeEvent of(BudgetNotice budget, @Nullable URI console) {
    String link = NoticeEvent.link(console, "/providers");
    String limit = usd(budget.limitUsd());
    String spent = usd(budget.spentUsd());
    Map<String, @Nullable Object> data = new LinkedHashMap<>();
    data.put("scope", budget.scope());
    data.put("per", budget.per());
    data.put("limit_usd", budget.limitUsd());
    data.put("spent_usd", budget.spentUsd());
    data.put("url", link);
    String of = spent + " of " + limit + " USD are spent";
    String text =
        budget.usedUp()
            ? ("The budget %s is used up: %s, and what needs more waits; raise it: holdfast"
                    + " budgets raise %s --to USD")
                .formatted(budget.scope(), of, budget.scope())
            : "The budget " + budget.scope() + " is nearly used up: " + of;
    return new NoticeEvent(
        "budget-" + budget.id(),
        NoticeEvent.source(console),
        "dev.holdfast.budget." + (budget.usedUp() ? "used_up" : "nearly_used_up"),
        budget.scope(),
        budget.at(),
        NoticeEvent.with(link, text),
        data);
  }

  private static String usd(BigDecimal amount) {
    return amount.stripTrailingZeros().toPlainString();
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
        ("%s tickets are on hold and %s in review, %s ready; in 24 hours %s attempts"
                + " succeeded and %s failed%s")
            .formatted(
                digest.onHold(),
                digest.inReview(),
                digest.ready(),
                digest.succeeded(),
                digest.failed(),
                cost);
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
