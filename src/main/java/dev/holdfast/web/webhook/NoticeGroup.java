package dev.holdfast.web.webhook;

import dev.holdfast.queue.PeopleNotices.BudgetNotice;
import dev.holdfast.queue.PeopleNotices.DigestNotice;
import dev.holdfast.queue.PeopleNotices.HoldNotice;
import dev.holdfast.queue.PeopleNotices.Notice;
import dev.holdfast.queue.PeopleNotices.OutageNotice;
import dev.holdfast.queue.PeopleNotices.ReviewNotice;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Notices that are sent in one message.
 *
 * @param notices at least one, in order; several are holds
 */
record NoticeGroup(List<Notice> notices) {
  /**
   * The most messages about holds at a time: people read no 300, and chats and mail refuse them.
   */
  private static final int MOST_OF_HOLDS = 10;

  NoticeGroup {
    notices = List.copyOf(notices);
  }

  /** Makes a group of each notice. */
  static List<NoticeGroup> each(List<Notice> notices) {
    return notices.stream().map(notice -> new NoticeGroup(List.of(notice))).toList();
  }

  /**
   * Groups holds with equal errors; those without an error are grouped by their reason. Of very
   * many groups the largest stay, and the others are one.
   */
  static List<NoticeGroup> byError(List<Notice> notices) {
    Map<List<String>, List<Notice>> groups = new LinkedHashMap<>();
    for (Notice notice : notices) {
      groups.computeIfAbsent(key(notice), any -> new ArrayList<>()).add(notice);
    }
    return few(groups.values().stream().map(NoticeGroup::new).toList());
  }

  private static List<NoticeGroup> few(List<NoticeGroup> groups) {
    List<NoticeGroup> holds =
        groups.stream()
            .filter(group -> group.first() instanceof HoldNotice)
            .sorted(Comparator.comparingInt(NoticeGroup::size).reversed())
            .toList();
    if (holds.size() <= MOST_OF_HOLDS) {
      return groups;
    }
    Stream<NoticeGroup> others =
        groups.stream().filter(group -> !(group.first() instanceof HoldNotice));
    Stream<Notice> rest =
        holds.stream()
            .skip(MOST_OF_HOLDS)
            .flatMap(group -> group.notices().stream())
            .sorted(Comparator.comparingLong(Notice::id));
    return Stream.of(
            others, holds.stream().limit(MOST_OF_HOLDS), Stream.of(new NoticeGroup(rest.toList())))
        .flatMap(each -> each)
        .sorted(Comparator.comparingLong(group -> group.first().id()))
        .toList();
  }

  private static List<String> key(Notice notice) {
    return switch (notice) {
      case OutageNotice outage -> List.of("outage", "" + outage.id());
      case BudgetNotice budget -> List.of("budget", "" + budget.id());
      case ReviewNotice review -> List.of("review", "" + review.id());
      case DigestNotice digest -> List.of("digest", "" + digest.id());
      case HoldNotice hold when hold.errorFingerprint() == null -> List.of("reason", hold.reason());
      case HoldNotice hold ->
          List.of("error", String.valueOf(hold.errorFingerprint()), "" + hold.errorCategory());
    };
  }

  /** Returns the same without the words of tickets, models and people. */
  NoticeGroup withoutWords() {
    return new NoticeGroup(notices.stream().map(NoticeGroup::withoutWords).toList());
  }

  private static Notice withoutWords(Notice notice) {
    return notice instanceof HoldNotice hold
        ? new HoldNotice(
            hold.id(),
            hold.ticketId(),
            hold.at(),
            hold.actor(),
            hold.queue(),
            hold.kind(),
            null,
            "this receiver refused the message that says why",
            hold.errorCategory(),
            hold.errorFingerprint(),
            null,
            null)
        : notice;
  }

  Notice first() {
    return notices.getFirst();
  }

  Notice last() {
    return notices.getLast();
  }

  /** Returns true if it has holds of several errors or reasons. */
  boolean isMixed() {
    return notices.stream().map(NoticeGroup::key).distinct().limit(2).count() > 1;
  }

  int size() {
    return notices.size();
  }
}
