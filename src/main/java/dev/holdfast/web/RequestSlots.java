package dev.holdfast.web;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Limits how many requests are answered at once, so that a crowd of viewers cannot fill the memory
 * of a worker. A request has its slot until its answer is written, however slowly it is read. So no
 * visitor may have all slots, or one who reads slowly would keep out everybody else. An unknown
 * visitor takes none: what anybody may ask for is small, or limits itself.
 */
final class RequestSlots implements Filter {
  private static final long PATIENCE_SECONDS = 2;

  /** The answers that last as long as somebody watches; they take no slot. */
  private static final Pattern FREE = Pattern.compile(EventRoutes.PATH + "/?");

  private static final String TAKEN = RequestSlots.class.getName();

  private final Semaphore slots;
  private final int mostOfOne;
  private final Map<String, Visits> byVisitor = new ConcurrentHashMap<>();

  RequestSlots(int atOnce) {
    this.slots = new Semaphore(atOnce, true);
    this.mostOfOne = atOnce - atOnce / 4;
  }

  /**
   * The requests of one visitor.
   *
   * @param share the slots that they may have at once
   * @param requests how many there are, including those that wait
   */
  private record Visits(Semaphore share, int requests) {
    private @Nullable Visits plus(int more) {
      return requests + more == 0 ? null : new Visits(share, requests + more);
    }
  }

  /** Counts one more request of a visitor; returns the visitor's share of the slots. */
  private Semaphore enter(String visitor) {
    Visits counted =
        byVisitor.compute(
            visitor,
            (name, visits) ->
                visits == null ? new Visits(new Semaphore(mostOfOne, true), 1) : visits.plus(1));
    return Objects.requireNonNull(counted).share();
  }

  /** What a request has taken. It takes nothing before its visitor is known. */
  private final class Taken {
    private @Nullable String visitor;
    private @Nullable Semaphore own;
    private boolean slot;

    /**
     * Takes the share before the slot: a visitor who waits for the end of an own request keeps no
     * slot from others.
     */
    private void by(String who) {
      visitor = who;
      Semaphore share = enter(who);
      if (!await(share)) {
        throw new Refused(
            503, "your other requests are still being answered; try again, or read them faster");
      }
      own = share;
      slot = await(slots);
      if (!slot) {
        throw new Refused(
            503, "too many requests are being answered; try again, or see web.concurrent-requests");
      }
    }

    private void release() {
      if (slot) {
        slots.release();
      }
      if (own != null) {
        own.release();
      }
      if (visitor != null) {
        byVisitor.computeIfPresent(visitor, (name, visits) -> visits.plus(-1));
      }
    }
  }

  /**
   * Takes a slot for the request of this visitor. The request waits where the visitor has too many
   * under way, or all slots are taken.
   *
   * @throws Refused 503 where that takes too long
   */
  static void take(ServletRequest request, String visitor) {
    if (request.getAttribute(TAKEN) instanceof Taken taken) {
      taken.by(visitor);
    }
  }

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    if (FREE.matcher(((HttpServletRequest) request).getRequestURI()).matches()) {
      chain.doFilter(request, response);
      return;
    }
    Taken taken = new Taken();
    request.setAttribute(TAKEN, taken);
    try {
      chain.doFilter(request, response);
    } finally {
      taken.release();
    }
  }

  /** Waits for a slot; returns false also where the server ends. */
  private static boolean await(Semaphore slots) {
    try {
      return slots.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
