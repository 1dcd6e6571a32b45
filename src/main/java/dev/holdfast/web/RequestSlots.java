package dev.holdfast.web;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * Bounds how many requests are answered at once, so that a crowd of viewers cannot fill the memory
 * of a worker. A request has its slot until its answer is written, however slowly it is read.
 */
final class RequestSlots implements Filter {
  private static final long PATIENCE_SECONDS = 2;

  /** Answers that are small, or that last as long as somebody watches. */
  private static final Pattern FREE =
      Pattern.compile("/health/.*|/metrics|/login|/static/.*|/api/v1/events");

  private final Semaphore slots;

  RequestSlots(int atOnce) {
    this.slots = new Semaphore(atOnce, true);
  }

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    if (FREE.matcher(((HttpServletRequest) request).getRequestURI()).matches()) {
      chain.doFilter(request, response);
    } else if (await()) {
      try {
        chain.doFilter(request, response);
      } finally {
        slots.release();
      }
    } else {
      refuse((HttpServletResponse) response);
    }
  }

  private boolean await() throws InterruptedIOException {
    try {
      return slots.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("the server ends");
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
