package dev.holdfast.web.webhook;

import dev.holdfast.queue.PeopleNotices;
import dev.holdfast.queue.PeopleNotices.Notice;
import dev.holdfast.queue.PeopleNotices.OutageNotice;
import dev.holdfast.queue.QueueUnavailableException;
import dev.holdfast.retry.Sleeper;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells one receiver of every new hold and of outages of providers, in order and at least once:
 * whoever gets one twice knows it by its id. Holds with equal errors are one event. One process of
 * all on a database does; another one goes on where it ends. An event that is not taken is tried
 * again, ever less often, and given up after a day or as configured.
 */
public final class NoticeWebhook implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(NoticeWebhook.class);
  private static final int BATCH = 1_000;
  private static final Duration LONGEST_WAIT = Duration.ofMinutes(5);

  private final WebhookReceiver receiver;
  private final PeopleNotices notices;
  private final Sleeper sleeper;
  private final InstantSource clock;
  private final Duration poll;
  private final Delivery delivery;
  private final String process = UUID.randomUUID().toString();
  private final Set<Long> told = new TreeSet<>();
  private final Thread thread;
  private int failures;
  private @Nullable Instant failingSince;
  private @Nullable Instant waitingSince;

  private NoticeWebhook(
      WebhookReceiver receiver,
      PeopleNotices notices,
      Sleeper sleeper,
      InstantSource clock,
      Duration poll) {
    this.receiver = receiver;
    this.notices = notices;
    this.sleeper = sleeper;
    this.clock = clock;
    this.poll = poll;
    this.delivery = new Delivery(receiver, clock);
    this.thread = Thread.ofVirtual().name("webhook").unstarted(this::run);
  }

  /**
   * Begins to tell, until it is closed.
   *
   * @param poll how often it looks for new holds
   */
  public static NoticeWebhook start(
      WebhookReceiver receiver,
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
        } catch (QueueUnavailableException e) {
          log.debug("no holds are told of: {}", e.getMessage());
        }
        sleeper.sleep(wait(failures));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** The poll interval, doubled by each failure in a row. */
  private Duration wait(int failed) {
    Duration wait = poll.multipliedBy(1L << Math.min(failed, 20));
    return wait.compareTo(LONGEST_WAIT) < 0 ? wait : LONGEST_WAIT;
  }

  private void round() throws InterruptedException {
    Long from = lead();
    if (from == null) {
      // Another process tells; what this one knew may be old by the time it takes over.
      told.clear();
      return;
    }
    // The time first: what was held before the end of a wait is in its message.
    Instant now = clock.instant();
    PeopleNotices.Batch batch = notices.after(from, BATCH);
    List<Notice> untold =
        batch.notices().stream().filter(notice -> !told.contains(notice.id())).toList();
    if (!isTime(untold, now)) {
      advance(from, upTo(batch, untold));
      return;
    }
    for (NoticeGroup group : groups(untold)) {
      if (!deliver(group)) {
        advance(from, upTo(batch, untold));
        return;
      }
      group.notices().forEach(notice -> told.add(notice.id()));
    }
    waitingSince = null;
    advance(from, batch.settled());
  }

  private List<NoticeGroup> groups(List<Notice> untold) {
    return receiver.groupWait().isZero() ? NoticeGroup.each(untold) : NoticeGroup.byError(untold);
  }

  /** Not in quiet hours; holds wait a while for their like, outages do not. */
  private boolean isTime(List<Notice> untold, Instant now) {
    if (untold.isEmpty()) {
      return true;
    }
    if (receiver.quiet().test(now)) {
      return false;
    }
    if (untold.stream().anyMatch(OutageNotice.class::isInstance)) {
      return true;
    }
    Instant since = waitingSince;
    if (since == null || now.isBefore(since)) {
      since = now;
      waitingSince = now;
    }
    return !now.isBefore(since.plus(receiver.groupWait()));
  }

  /** How far all is told: a group that was told may have newer notices than one that was not. */
  private long upTo(PeopleNotices.Batch batch, List<Notice> untold) {
    return untold.stream()
        .mapToLong(Notice::id)
        .filter(id -> !told.contains(id))
        .map(id -> Math.min(batch.settled(), id - 1))
        .min()
        .orElse(batch.settled());
  }

  /** For longer than one delivery can take. */
  private @Nullable Long lead() {
    Duration time = receiver.timeout().plusSeconds(20).plus(poll.multipliedBy(2));
    return notices.lead(receiver.name(), process, time);
  }

  private void advance(long from, long to) {
    if (to > from) {
      notices.told(receiver.name(), process, to);
      told.removeIf(id -> id <= to);
    }
  }

  /** Whether the receiver is done with it: took it, or is not asked any more. */
  private boolean deliver(NoticeGroup group) throws InterruptedException {
    if (lead() == null) {
      return false;
    }
    NoticeEvent event = NoticeEvent.of(group, receiver.consoleAddress());
    String problem = send(event);
    if (problem.isEmpty()) {
      failures = 0;
      failingSince = null;
      return true;
    }
    failures++;
    Instant now = clock.instant();
    Instant since = failingSince == null ? now : failingSince;
    failingSince = since;
    if (since.plus(receiver.giveUpAfter()).isAfter(now)) {
      log.warn("the webhook did not take {} ({}); it is tried again", event.id(), problem);
      return false;
    }
    log.error("the webhook never took {} of {}: {}", event.id(), event.subject(), problem);
    failingSince = null;
    return true;
  }

  private String send(NoticeEvent event) throws InterruptedException {
    return switch (receiver.form()) {
      case CLOUDEVENT ->
          delivery.send(
              event.id(), NoticeEvent.MEDIA_TYPE, receiver.hidden().redactJson(event.json()));
      case TEXT ->
          delivery.send(
              event.id(),
              NoticeEvent.TEXT_MEDIA_TYPE,
              receiver.hidden().redactJson(event.textJson()));
    };
  }

  @Override
  public void close() {
    thread.interrupt();
    delivery.close();
  }
}
