package dev.holdfast.web;

import dev.holdfast.queue.QueueUnavailableException;
import dev.holdfast.queue.read.TicketFeed;
import dev.holdfast.queue.read.TicketFeeds;
import dev.holdfast.retry.Sleeper;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads what happens once for everybody who watches: one reader of the database, however many
 * browsers; none while nobody watches. Remembers the last events for those who come back.
 * Thread-safe.
 */
public final class EventHub implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(EventHub.class);
  private static final Duration POLL = Duration.ofMillis(500);
  private static final Duration POLL_WITHOUT_DATABASE = Duration.ofSeconds(2);
  private static final int REMEMBERED = 5_000;
  private static final int CAUGHT_UP_AT_MOST = 10_000;
  private static final int MOST_WATCHERS = 1_000;

  private final TicketFeeds feeds;
  private final Sleeper sleeper;
  private final Set<EventStream> streams = new HashSet<>();
  private final Deque<TicketFeed.Event> last = new ArrayDeque<>();
  private @Nullable Thread reader;
  private boolean closed;

  public EventHub(TicketFeeds feeds, Sleeper sleeper) {
    this.feeds = feeds;
    this.sleeper = sleeper;
  }

  /**
   * Begins to watch; to be closed.
   *
   * @param lastEventId what {@link #idOf} said of the last event seen; null begins at the present.
   *     Where it is not known or too long ago the stream begins with a reset.
   * @param ticketId null watches all
   * @throws Refused 503 where too many watch already
   */
  public EventStream watch(@Nullable String lastEventId, @Nullable Long ticketId) {
    EventStream stream;
    Optional<List<TicketFeed.Event>> remembered;
    synchronized (this) {
      if (closed || streams.size() >= MOST_WATCHERS) {
        throw new Refused(503, "too many watch already; try again later");
      }
      stream = new EventStream(ticketId, this::leave);
      remembered = lastEventId == null ? Optional.of(List.of()) : after(lastEventId);
      remembered.ifPresent(stream::offer);
      streams.add(stream);
      startReader();
    }
    if (lastEventId != null && remembered.isEmpty()) {
      catchUp(stream, lastEventId);
    }
    return stream;
  }

  /** The id under which a browser comes back for what follows. */
  static String idOf(TicketFeed.Event event) {
    return event.position() + "~" + event.key();
  }

  /** The number of watchers. */
  synchronized int watchers() {
    return streams.size();
  }

  /** True if the database is asked for events. */
  synchronized boolean isReading() {
    return reader != null;
  }

  private Optional<List<TicketFeed.Event>> after(String id) {
    List<TicketFeed.Event> later = new ArrayList<>();
    for (var newestFirst = last.descendingIterator(); newestFirst.hasNext(); ) {
      TicketFeed.Event event = newestFirst.next();
      if (idOf(event).equals(id)) {
        return Optional.of(later.reversed());
      }
      later.add(event);
    }
    return Optional.empty();
  }

  /**
   * Reads again what another process told, or this one long ago. It reads too much rather than too
   * little: an event that is told twice has the same key.
   */
  private void catchUp(EventStream stream, String id) {
    int end = id.indexOf('~');
    Optional<TicketFeed> feed = end < 0 ? Optional.empty() : feeds.openAt(id.substring(0, end));
    List<TicketFeed.Event> missed = feed.map(TicketFeed::events).orElse(List.of());
    if (feed.isEmpty() || missed.size() >= CAUGHT_UP_AT_MOST) {
      stream.reset();
    } else {
      String known = id.substring(end + 1);
      stream.offerFirst(missed.stream().filter(event -> !event.key().equals(known)).toList());
    }
  }

  private void startReader() {
    if (reader == null) {
      reader = Thread.ofVirtual().name("event-hub").start(this::read);
    }
  }

  private void read() {
    TicketFeed feed = null;
    try {
      while (isWanted()) {
        boolean reached = true;
        try {
          if (feed == null) {
            feed = feeds.open();
          }
          tell(feed.events());
        } catch (QueueUnavailableException e) {
          log.debug("no events: {}", e.getMessage());
          reached = false;
        }
        sleeper.sleep(reached ? POLL : POLL_WITHOUT_DATABASE);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Ends the reader's work where nobody watches: what then happens nobody has to be told of. */
  private synchronized boolean isWanted() {
    if (closed || streams.isEmpty()) {
      reader = null;
      last.clear();
      return false;
    }
    return true;
  }

  private synchronized void tell(List<TicketFeed.Event> events) {
    events.forEach(last::addLast);
    while (last.size() > REMEMBERED) {
      last.removeFirst();
    }
    streams.forEach(stream -> stream.offer(events));
  }

  private synchronized void leave(EventStream stream) {
    streams.remove(stream);
  }

  /** Ends all streams. */
  @Override
  public void close() {
    List<EventStream> open;
    synchronized (this) {
      closed = true;
      open = List.copyOf(streams);
    }
    open.forEach(EventStream::close);
  }
}
