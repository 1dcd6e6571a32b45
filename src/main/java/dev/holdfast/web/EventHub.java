package dev.holdfast.web;

import dev.holdfast.queue.DatabaseUnavailableException;
import dev.holdfast.queue.read.TicketFeed;
import dev.holdfast.queue.read.TicketFeeds;
import dev.holdfast.retry.Sleeper;
import dev.holdfast.ticket.HoldfastException;
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
 * Reads events once for everybody who watches. There is one reader of the database for any number
 * of browsers, and none while nobody watches. Remembers the last events for those who come back.
 * Thread-safe.
 */
public final class EventHub implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(EventHub.class);
  private static final Duration POLL = Duration.ofMillis(500);
  private static final Duration POLL_WITHOUT_DATABASE = Duration.ofSeconds(2);

  /** How long the database may take to say where the present is. */
  private static final Duration OPENING = Duration.ofSeconds(2);

  private static final int REMEMBERED = 5_000;
  private static final int CAUGHT_UP_AT_MOST = 10_000;
  private static final int MOST_STREAMS = 1_000;

  /** The most streams of one visitor, so that no visitor has all of them. */
  private static final int MOST_OF_ONE = MOST_STREAMS - MOST_STREAMS / 4;

  private final TicketFeeds feeds;
  private final Sleeper sleeper;
  private final Set<EventStream> streams = new HashSet<>();
  private final Deque<TicketFeed.Event> last = new ArrayDeque<>();
  private @Nullable Thread reader;
  private boolean open;

  /** Where the feed is, or was a moment ago; sent to those who name no event to continue after. */
  private String present = "";

  private boolean closed;

  public EventHub(TicketFeeds feeds, Sleeper sleeper) {
    this.feeds = feeds;
    this.sleeper = sleeper;
  }

  /**
   * Begins to watch; the stream must be closed. It gets what commits after the return. If the
   * database does not answer in time, the stream has a reset once it does.
   *
   * @param visitor who watches
   * @param lastEventId what {@link #idOf} returned for the last event seen; null begins at the
   *     present. Where it is not known or too long ago the stream begins with a reset.
   * @param ticketId null watches all
   * @throws Refused 503 where too many watch already, or the visitor has too many streams
   */
  public EventStream watch(String visitor, @Nullable String lastEventId, @Nullable Long ticketId)
      throws InterruptedException {
    EventStream stream;
    Optional<List<TicketFeed.Event>> remembered;
    synchronized (this) {
      refuseMore(visitor);
      stream = new EventStream(visitor, lastEventId == null, ticketId, this::leave);
      remembered = lastEventId == null ? Optional.of(List.of()) : after(lastEventId);
      remembered.ifPresent(stream::offer);
      streams.add(stream);
      if (open) {
        stream.begin(present);
      }
      startReader();
    }
    try {
      // The stream must begin before the missed events are read again. Otherwise there is a gap.
      if (stream.awaitBegin(OPENING) && lastEventId != null && remembered.isEmpty()) {
        catchUp(stream, lastEventId);
      }
      return stream;
    } catch (InterruptedException | RuntimeException e) {
      stream.close();
      throw e;
    }
  }

  private void refuseMore(String visitor) {
    if (closed || streams.size() >= MOST_STREAMS) {
      throw new Refused(503, "too many watch already; try again later");
    }
    if (streams.stream().filter(each -> each.isOf(visitor)).count() >= MOST_OF_ONE) {
      throw new Refused(
          503, "you watch with " + MOST_OF_ONE + " connections already; close one of them");
    }
  }

  /** Returns the id under which a browser comes back for what follows. */
  static String idOf(TicketFeed.Event event) {
    return event.position() + "~" + event.key();
  }

  /** Returns the number of watchers. */
  synchronized int watchers() {
    return streams.size();
  }

  /** Returns true if the database is asked for events. */
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
   * Reads again what another process sent, or this one long ago. It reads too much rather than too
   * little: an event that is sent twice has the same key.
   */
  private void catchUp(EventStream stream, String id) {
    int end = id.indexOf('~');
    String known = id.substring(end + 1);
    try {
      Optional<TicketFeed> feed = end < 0 ? Optional.empty() : feeds.openAt(id.substring(0, end));
      List<TicketFeed.Event> missed = feed.map(TicketFeed::events).orElse(List.of());
      if (feed.isPresent() && missed.size() < CAUGHT_UP_AT_MOST) {
        stream.offerFirst(missed.stream().filter(event -> !event.key().equals(known)).toList());
        return;
      }
    } catch (HoldfastException e) {
      log.debug("what was missed cannot be read: {}", e.getMessage());
    }
    stream.reset();
  }

  private void startReader() {
    if (reader == null || !reader.isAlive()) {
      reader = Thread.ofVirtual().name("event-hub").start(this::read);
    }
  }

  private void read() {
    TicketFeed feed = null;
    try {
      while (isWanted()) {
        Duration pause = POLL;
        try {
          if (feed == null) {
            feed = feeds.open();
            begin(feed.position());
          }
          tell(feed.events(), feed.position());
        } catch (HoldfastException e) {
          log.debug("no events: {}", e.getMessage());
          pause = POLL_WITHOUT_DATABASE;
          // If the database refuses the feed, it would refuse it again. Then the feed begins at the
          // present, and everybody is told of a gap. After an outage the feed continues where it
          // stopped.
          feed = DatabaseUnavailableException.isAway(e) ? feed : null;
        }
        sleeper.sleep(pause);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Notes that a feed is open. Those who watched before have missed what was before it. */
  private synchronized void begin(String position) {
    open = true;
    last.clear();
    present = position + "~";
    streams.forEach(stream -> stream.begin(present));
  }

  /**
   * Returns false where nobody watches, and ends the reader's work: nobody needs to hear what
   * happens then.
   */
  private synchronized boolean isWanted() {
    if (closed || streams.isEmpty()) {
      reader = null;
      open = false;
      last.clear();
      return false;
    }
    return true;
  }

  private synchronized void tell(List<TicketFeed.Event> events, String position) {
    present = position + "~";
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
