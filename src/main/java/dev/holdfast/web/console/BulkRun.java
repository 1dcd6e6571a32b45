package dev.holdfast.web.console;

import dev.holdfast.web.BulkAction;
import dev.holdfast.web.BulkAction.Progress;
import dev.holdfast.web.console.view.Format;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** An action on many tickets as people see it. */
record BulkRun(BulkAction action, Order order) {
  private static final int MOST_DETAILS = 50;

  /**
   * The action in words.
   *
   * @param left the state of the tickets that it leaves alone; empty where only their lines say so
   */
  record Verb(String past, boolean canBeUndone, String left) {
    Verb(String past) {
      this(past, false, "");
    }
  }

  /**
   * An action before it begins.
   *
   * @param id the id from {@link dev.holdfast.web.BulkActions#newId}; the key of a release
   * @param expected how many tickets there are, as far as is known
   * @param back the page it was ordered from
   */
  record Order(String id, Verb verb, long expected, String back) {}

  /**
   * A ticket.
   *
   * @param version the version that was seen; null for any version
   */
  record Item(long id, @Nullable String version) {}

  String id() {
    return order.id;
  }

  String back() {
    return order.back;
  }

  /** Returns true if it is over within that time. */
  boolean waitFor(Duration time) throws InterruptedException {
    return action.await(time);
  }

  void stop() {
    action.stop();
  }

  RunPage on(Page page, UnaryOperator<Notice> asOfNow) {
    Progress progress = action.progress();
    return new RunPage(
        page,
        progress.id(),
        progress.finished(),
        processed(progress),
        total(progress),
        asOfNow.apply(notice(progress, MOST_DETAILS)),
        order.back);
  }

  /** Returns {@code Released 41 of 42.}, with lines for tickets with which it was not done. */
  Notice notice() {
    return notice(action.progress(), NoticeCookie.MOST_DETAILS - 1);
  }

  private Notice notice(Progress progress, int most) {
    boolean isGood = progress.refused() == 0 && progress.problem() == null;
    boolean offersUndo = order.verb.canBeUndone && progress.finished() && progress.done() > 0;
    return Notice.of(
        isGood, words(progress), details(progress, most), offersUndo ? order.id : null);
  }

  private static List<String> details(Progress progress, int most) {
    Stream<String> told =
        progress.refusals().stream()
            .limit(most)
            .map(refusal -> "#" + refusal.id() + ": " + refusal.detail());
    long more = progress.refused() - most;
    return Stream.concat(
            told, more > 0 ? Stream.of("and " + Format.number(more) + " more") : Stream.empty())
        .collect(Collectors.toUnmodifiableList());
  }

  private String words(Progress progress) {
    String some = order.verb.past + " " + Format.number(progress.done());
    if (!progress.finished()) {
      return some + " so far.";
    }
    if (progress.problem() != null) {
      return some + of(progress) + "; " + progress.problem() + ".";
    }
    if (progress.refused() > 0) {
      return some + of(progress) + left(progress) + ".";
    }
    return some + tickets(progress.done()) + ".";
  }

  private String left(Progress progress) {
    return order.verb.left.isEmpty()
        ? ""
        : "; %s: %s%s"
            .formatted(
                order.verb.left, Format.number(progress.refused()), tickets(progress.refused()));
  }

  private static String tickets(long count) {
    return count == 1 ? " ticket" : " tickets";
  }

  private String of(Progress progress) {
    return " of " + Format.number(total(progress));
  }

  private static long processed(Progress progress) {
    return progress.done() + progress.refused();
  }

  private long total(Progress progress) {
    return Math.max(order.expected, processed(progress));
  }
}
