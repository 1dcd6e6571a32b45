package dev.holdfast.web;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Bounds how many requests are answered at once, so that a crowd of viewers cannot fill the memory
 * of a worker. A request has its slot until its answer is written, however slowly it is read; so no
 * visitor may have all of them, or one who reads slowly would keep out everybody else.
 */
final class RequestSlots implements Filter {
  private static final long PATIENCE_SECONDS = 2;

  /** Answers that are small, or that last as long as somebody watches. */
  private static final Pattern FREE =
      Pattern.compile("/health/.*|/metrics|/login|/static/.*|" + EventRoutes.PATH + "/?");

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
   * @param requests how many there are, with those that wait
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

  /** The slot of a request; whose it is is known later than that there is one. */
  private final class Taken {
    private boolean slot = true;
    private @Nullable String visitor;
    private @Nullable Semaphore own;

    private void by(String who) {
      visitor = who;
      Semaphore share = enter(who);
      if (share.tryAcquire()) {
        own = share;
      } else {
        waitFor(share);
      }
    }

    /** Others may have the slot meanwhile. */
    private void waitFor(Semaphore share) {
      slots.release();
      slot = false;
      if (await(share)) {
        own = share;
        slot = await(slots);
      }
      if (!slot) {
        throw new Refused(
            503, "your other requests are still being answered; try again, or read them faster");
      }
    }

    private void release() {
      if (own != null) {
        own.release();
      }
      if (visitor != null) {
        byVisitor.computeIfPresent(visitor, (name, visits) -> visits.plus(-1));
      }
      if (slot) {
        slots.release();
      }
    }
  }

  /**
   * Tells who sent the request. A visitor who has too many under way waits for the end of one,
   * without a slot.
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
    } else if (await(slots)) {
      Taken taken = new Taken();
      request.setAttribute(TAKEN, taken);
      try {
        chain.doFilter(request, response);
      } finally {
        taken.release();
      }
    } else {
      refuse((HttpServletResponse) response);
    }
  }

  /** False also where the server ends. */
  private static boolean await(Semaphore slots) {
    try {
      return slots.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private static void refuse(HttpServletResponse response) throws IOException {
    Problem problem =
        Problem.of(
            503, "too many requests are being answered; try again, or see web.concurrent-requests");
    response.setStatus(problem.status());
    response.setContentType(Problem.MEDIA_TYPE);
    response.setHeader("Retry-After", "2");
    response.setHeader("Cache-Control", "no-store");
    response
        .getOutputStream()
        .write(Bodies.json(problem.document()).getBytes(StandardCharsets.UTF_8));
  }
}
