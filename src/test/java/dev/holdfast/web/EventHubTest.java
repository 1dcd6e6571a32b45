package dev.holdfast.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.queue.DatabaseUnavailableException;
import dev.holdfast.queue.TicketBusyException;
import dev.holdfast.queue.read.TicketFeed;
import dev.holdfast.queue.read.TicketFeeds;
import dev.holdfast.queue.read.TimelineEntry;
import dev.holdfast.retry.Sleeper;
import dev.holdfast.ticket.HoldfastException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What those who watch are told while the database is slow, away, or refuses. */
@Timeout(120)
class EventHubTest {
  private static final Duration SOON = Duration.ofSeconds(10);

  private final Happenings happenings = new Happenings();
  private final AtomicReference<@Nullable Duration> slept = new AtomicReference<>();
  @AutoClose private final EventHub hub = new EventHub(happenings, this::sleep);

  /** Its reader has looked, and pauses for so long since. */
  private void awaitPause(Duration time) {
    slept.set(null);
    await().atMost(SOON).until(() -> time.equals(slept.get()));
  }

  private void sleep(Duration time) throws InterruptedException {
    slept.set(time);
    Sleeper.REAL.sleep(Duration.ofMillis(5));
  }

  /** A database: what happened is told to feeds that were open before. */
  private static final class Happenings implements TicketFeeds {
    private final List<TicketFeed.Event> all = new ArrayList<>();
    final CountDownLatch asked = new CountDownLatch(1);
    volatile CountDownLatch opens = new CountDownLatch(0);
    volatile @Nullable HoldfastException refusal;

    synchronized void add(long id) {
      all.add(
          new TicketFeed.Event(
              "created-" + id,
              "at" + all.size(),
              new TimelineEntry(id, Instant.EPOCH, "created", null, null)));
    }

    private synchronized int count() {
      return all.size();
    }

    private synchronized List<TicketFeed.Event> from(int place) {
      return List.copyOf(all.subList(place, all.size()));
    }

    @Override
    public TicketFeed open() {
      asked.countDown();
      try {
        opens.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      return feed(count());
    }

    @Override
    public Optional<TicketFeed> openAt(String position) {
      refuse();
      return Optional.of(feed(Integer.parseInt(position.substring(2))));
    }

    private TicketFeed feed(int place) {
      int[] next = {place};
      return new TicketFeed() {
        @Override
        public List<Event> events() {
          refuse();
          List<Event> events = from(next[0]);
          next[0] += events.size();
          return events;
        }

        @Override
        public String position() {
          return "at" + next[0];
        }
      };
    }

    private void refuse() {
      HoldfastException now = refusal;
      if (now != null) {
        throw now;
      }
    }
  }

  /** The tickets that a stream is told of until this one, and 0 for a reset. */
  private static List<Long> until(long last, EventStream stream) throws InterruptedException {
    List<Long> told = new ArrayList<>();
    Instant end = Instant.now().plus(SOON);
    while (!told.contains(last)) {
      assertThat(Instant.now()).as("told %s", told).isBefore(end);
      EventStream.Batch batch = stream.take(SOON);
      if (batch.missed()) {
        told.add(0L);
      }
      batch.events().forEach(event -> told.add(event.entry().ticketId()));
    }
    return told;
  }

  @Test
  @DisplayName("what happens after somebody was let in is told, though the database is slow")
  void nothingBetween() throws Exception {
    happenings.opens = new CountDownLatch(1);
    CountDownLatch added = new CountDownLatch(1);
    // Opens for who was let in too early, and a moment later for who waits.
    CompletableFuture<Boolean> late =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                happenings.asked.await();
                return added.await(300, TimeUnit.MILLISECONDS);
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              } finally {
                happenings.opens.countDown();
              }
            },
            // Not the common pool: other tests may keep it busy for longer than the hub waits.
            Thread::startVirtualThread);
    try (EventStream stream = hub.watch("me", null, null)) {
      happenings.add(1);
      added.countDown();
      assertThat(until(1, stream)).containsExactly(1L);
    }
    assertThat(late.get()).isFalse();
  }

  @Test
  @DisplayName("where the database does not answer, who watches has a reset once it does")
  void reset() throws Exception {
    happenings.opens = new CountDownLatch(1);
    try (EventStream stream = hub.watch("me", null, null)) {
      happenings.add(1);
      happenings.opens.countDown();
      assertThat(stream.take(SOON).missed()).isTrue();
      happenings.add(2);
      assertThat(until(2, stream)).containsExactly(2L);
    }
  }

  @Test
  @DisplayName("who comes back while the database is away begins with a reset, and leaves nothing")
  void comesBack() throws Exception {
    try (EventStream keep = hub.watch("me", null, null)) {
      happenings.refusal = new DatabaseUnavailableException("the database is away", null);
      try (EventStream back = hub.watch("me", "at0~created-0", null)) {
        assertThat(back.take(SOON).missed()).isTrue();
        assertThat(hub.watchers()).isEqualTo(2);
      }
      assertThat(hub.watchers()).isEqualTo(1);
      happenings.add(1);
      happenings.refusal = null;
      assertThat(until(1, keep)).as("behind an outage it goes on").containsExactly(1L);
    }
  }

  @Test
  @DisplayName("what the database refuses ends no stream: a reset, and it goes on")
  void refused() throws Exception {
    try (EventStream stream = hub.watch("me", null, null)) {
      happenings.refusal = new TicketBusyException("another transaction has it locked", null);
      happenings.add(1);
      awaitPause(Duration.ofSeconds(2));
      happenings.refusal = null;
      awaitPause(Duration.ofMillis(500));
      assertThat(stream.take(SOON).missed()).isTrue();
      happenings.add(2);
      assertThat(until(2, stream)).doesNotContain(1L);
    }
  }

  @Test
  @DisplayName("one visitor with many streams leaves a quarter of them to the others")
  void share() throws Exception {
    List<EventStream> streams = new ArrayList<>();
    try {
      for (int i = 0; i < 750; i++) {
        streams.add(hub.watch("greedy", null, null));
      }
      assertThatThrownBy(() -> hub.watch("greedy", null, null))
          .isInstanceOf(Refused.class)
          .hasMessageContaining("750");
      streams.add(hub.watch("me", null, null));
      streams.removeFirst().close();
      streams.add(hub.watch("greedy", null, null));
    } finally {
      streams.forEach(EventStream::close);
    }
    assertThat(hub.watchers()).isZero();
  }
}
