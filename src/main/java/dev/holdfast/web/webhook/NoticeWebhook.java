package dev.holdfast.web.webhook;

import dev.holdfast.queue.DatabaseUnavailableException;
import dev.holdfast.queue.PeopleNotices;
import dev.holdfast.queue.PeopleNotices.BudgetNotice;
import dev.holdfast.queue.PeopleNotices.DigestNotice;
import dev.holdfast.queue.PeopleNotices.HoldNotice;
import dev.holdfast.queue.PeopleNotices.Notice;
import dev.holdfast.queue.PeopleNotices.OutageNotice;
import dev.holdfast.queue.PeopleNotices.ReviewNotice;
import dev.holdfast.queue.TicketBusyException;
import dev.holdfast.retry.Sleeper;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends one receiver the notices that it wants, such as new holds and outages of providers, in
 * order and at least once. A receiver that gets one twice recognizes it by its id. Holds with equal
 * errors are one event. Only one of all processes on a database sends; another one continues where
 * it ends. An event that is not taken is tried again, ever less often, and given up after a day or
 * as configured.
 */
public final class NoticeWebhook implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(NoticeWebhook.class);
  private static final int PAGE = 1_000;

  /**
   * The most notices of one round: a storm is one message, and a flood leaves memory for other
   * work.
   */
  private static final int MOST_AT_ONCE = 20_000;

  private static final Duration LAST_ROUND = Duration.ofSeconds(1);
  private static final Duration LONGEST_WAIT = Duration.ofMinutes(5);

  private final NoticeReceiver receiver;
  private final NoticeRules rules;
  private final PeopleNotices notices;
  private final Sleeper sleeper;
  private final InstantSource clock;
  private final Duration poll;
  private final NoticeSender sender;
  private final RightToTell right;
  private final GroupWait groupWait;
  private final Set<Long> told = new TreeSet<>();
  private final Thread thread;
  private int failures;
  private boolean unforeseen;
  private @Nullable Instant failingSince;
  private long failing;

  private NoticeWebhook(
      NoticeReceiver receiver,
      PeopleNotices notices,
      Sleeper sleeper,
      InstantSource clock,
      Duration poll) {
    this.receiver = receiver;
    this.rules = receiver.rules();
    this.groupWait = new GroupWait(rules.groupWait());
    this.notices = notices;
    this.sleeper = sleeper;
    this.clock = clock;
    this.poll = poll;
    this.sender = receiver.sender(clock);
    this.right = new RightToTell(notices, receiver, poll);
    // An interrupt would close the connection of a virtual thread that reads from the database.
    this.thread = Thread.ofPlatform().name("webhook").daemon().unstarted(this::run);
  }

  /**
   * Begins to send, until it is closed.
   *
   * @param poll how often it looks for new holds
   */
  public static NoticeWebhook start(
      NoticeReceiver receiver,
      PeopleNotices notices,
      Sleeper sleeper,
      InstantSource clock,
      Duration poll) {
    NoticeWebhook webhook = new NoticeWebhook(receiver, notices, sleeper, clock, poll);
    webhook.thread.start();
    return webhook;
  }

  private void run() {
    try {
      while (!Thread.currentThread().isInterrupted()) {
        try {
          round();
          unforeseen = false;
        } catch (DatabaseUnavailableException | TicketBusyException e) {
          log.debug("no holds are told of: {}", e.getMessage());
        } catch (RuntimeException e) {
          warnOnce(e);
        }
        rest();
      }
    } catch (InterruptedException e) {
      log.debug("{} is told of nothing more by this process", receiver);
    }
    // The database is asked once more. The interrupt that ended this is cleared for that.
    Thread.interrupted();
    right.leave();
  }

  /** Warns once. Whatever the failure is, later notices must not be lost by it. */
  private void warnOnce(RuntimeException e) {
    if (!unforeseen) {
      log.warn("{} is told of nothing for now; it is tried again", receiver, e);
    }
    unforeseen = true;
  }

  /**
   * Waits. A process that is to try again keeps the right to tell until then, because another one
   * would try at once.
   */
  private void rest() throws InterruptedException {
    if (failures == 0) {
      sleeper.sleep(wait(0));
    } else {
      right.keptDuring(
          () -> {
            sleeper.sleep(wait(failures));
            return true;
          });
    }
  }

  /** Returns the poll interval, doubled by each failure in a row. */
  private Duration wait(int failed) {
    Duration wait = poll.multipliedBy(1L << Math.min(failed, 20));
    return wait.compareTo(LONGEST_WAIT) < 0 ? wait : LONGEST_WAIT;
  }

  private void round() throws InterruptedException {
    Long from = right.take();
    if (from == null) {
      // Another process sends. What this one knew may be old when it takes over.
      told.clear();
      failures = 0;
      return;
    }
    note();
    // The time is read first: what was held before the end of a wait is in its message.
    Instant now = clock.instant();
    if (rules.quiet().test(now)) {
      return;
    }
    Untold first = untold(from, 1);
    if (first.notices().isEmpty()) {
      failures = 0;
      groupWait.none();
      advance(from, first.settled());
    } else if (isTime(first.notices(), now)) {
      tell(from, untold(from, MOST_AT_ONCE), now);
    } else {
      advance(from, upTo(first));
    }
  }

  private void tell(long from, Untold untold, Instant now) throws InterruptedException {
    for (NoticeGroup group : groups(untold.notices())) {
      if (!deliver(group)) {
        advance(from, upTo(untold));
        return;
      }
      group.notices().forEach(notice -> told.add(notice.id()));
    }
    if (untold.notices().size() < MOST_AT_ONCE) {
      groupWait.told(now);
    }
    // Else there may be more, which have waited already.
    advance(from, untold.settled());
  }

  /**
   * @param settled the id up to which nothing more will come
   */
  private record Untold(List<Notice> notices, long settled) {}

  /**
   * Returns what must be sent, page by page until there is enough of it. An open transaction holds
   * the cursor back. Whole pages after it may have been sent already, and newer notices come after
   * them.
   */
  private Untold untold(long from, int enough) {
    List<Notice> found = new ArrayList<>();
    long settled = from;
    long after = from;
    boolean isFull = true;
    while (isFull && found.size() < enough) {
      PeopleNotices.Batch page = notices.after(after, PAGE);
      // Nothing more comes into the pages before this one.
      if (settled == after) {
        settled = page.settled();
      }
      page.notices().stream().filter(this::isUntold).forEach(found::add);
      isFull = page.notices().size() == PAGE;
      after = isFull ? page.notices().getLast().id() : after;
    }
    return new Untold(found, settled);
  }

  private boolean isUntold(Notice notice) {
    return isWanted(notice) && !told.contains(notice.id());
  }

  /**
   * Makes notices of results for review, budgets and digests. The process that sends them makes
   * them, once for all receivers.
   */
  private void note() {
    if (rules.events().contains(NoticeRules.Event.REVIEWS)) {
      notices.noteReviews();
    }
    if (rules.events().contains(NoticeRules.Event.BUDGETS)) {
      notices.noteBudgets();
    }
    NoticeRules.DigestTime digest = rules.digest();
    if (digest != null && rules.events().contains(NoticeRules.Event.DIGEST)) {
      notices.noteDigest(digest.time(), digest.zone());
    }
  }

  private boolean isWanted(Notice notice) {
    return rules
        .events()
        .contains(
            switch (notice) {
              case HoldNotice hold -> NoticeRules.Event.HOLDS;
              case OutageNotice outage -> NoticeRules.Event.OUTAGES;
              case BudgetNotice budget -> NoticeRules.Event.BUDGETS;
              case ReviewNotice review -> NoticeRules.Event.REVIEWS;
              case DigestNotice digest -> NoticeRules.Event.DIGEST;
            });
  }

  private List<NoticeGroup> groups(List<Notice> untold) {
    return rules.groupWait().isZero() ? NoticeGroup.each(untold) : NoticeGroup.byError(untold);
  }

  /**
   * Returns true if it is time to send. Holds wait a while for others with the same error, outages
   * do not.
   */
  private boolean isTime(List<Notice> untold, Instant now) {
    if (!untold.stream().allMatch(HoldNotice.class::isInstance)) {
      return true;
    }
    return groupWait.isOver(now);
  }

  /**
   * Returns the last notice up to which all are sent: a group that was sent may have newer notices
   * than one that was not.
   */
  private long upTo(Untold untold) {
    return untold.notices().stream()
        .mapToLong(Notice::id)
        .filter(id -> !told.contains(id))
        .map(id -> Math.min(untold.settled(), id - 1))
        .min()
        .orElse(untold.settled());
  }

  private void advance(long from, long to) {
    if (to > from) {
      right.told(to);
      told.removeIf(id -> id <= to);
    }
  }

  /** Returns true if the receiver is done with it: it took it, or is not asked any more. */
  private boolean deliver(NoticeGroup group) throws InterruptedException {
    if (right.take() == null) {
      return false;
    }
    return switch (send(group)) {
      case NoticeSender.Taken taken -> {
        failures = 0;
        failingSince = null;
        yield true;
      }
      case NoticeSender.Refused refused -> givesUp(group, refused.why());
      case NoticeSender.NotTaken notTaken -> givesUp(group, notTaken.why());
    };
  }

  /**
   * Sends a group. If it is refused, it is sent without its words: one ticket's text must not hold
   * back the other notices.
   */
  private NoticeSender.Sent send(NoticeGroup group) throws InterruptedException {
    NoticeSender.Sent sent = right.keptDuring(() -> sender.send(event(group)));
    if (!(sent instanceof NoticeSender.Refused refused)) {
      return sent;
    }
    NoticeEvent bare = event(group.withoutWords());
    NoticeSender.Sent again = right.keptDuring(() -> sender.send(bare));
    if (again instanceof NoticeSender.Taken) {
      log.warn(
          "{} refused {} ({}) and has it without its words", receiver, bare.id(), refused.why());
    }
    return again;
  }

  private NoticeEvent event(NoticeGroup group) {
    return NoticeEvent.of(group, rules.consoleAddress());
  }

  /** Counts a failure; returns true if it was the last one for this group. */
  private boolean givesUp(NoticeGroup group, String problem) {
    NoticeEvent event = event(group);
    failures++;
    Instant now = clock.instant();
    // What was refused before may no longer be sent, because its ticket waits for nobody now.
    long first = group.first().id();
    Instant since = failingSince == null || failing != first ? now : failingSince;
    failingSince = since;
    failing = first;
    if (since.plus(rules.giveUpAfter()).isAfter(now)) {
      log.warn("{} did not take {} ({}); it is tried again", receiver, event.id(), problem);
      return false;
    }
    log.error("{} never took {} of {}: {}", receiver, event.id(), event.subject(), problem);
    failingSince = null;
    return true;
  }

  /** Waits a little for what is under way, because its connection is taken away afterwards. */
  @Override
  public void close() {
    thread.interrupt();
    sender.close();
    try {
      thread.join(LAST_ROUND);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
