package dev.holdfast.web.port;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;

/**
 * Also reads the body of a request that was answered early. Many clients send everything before
 * they look for an answer; without this the server would close the connection first. Thread-safe.
 */
public final class RestOfBody implements Filter {
  /**
   * The most bytes of a refused body that are read: the largest payload and more. The time limit
   * follows.
   */
  private static final long MOST_REST_BYTES = 256L * 1024 * 1024;

  private static final Duration LONGEST_REST = Duration.ofSeconds(10);

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    Drained drained = new Drained((HttpServletRequest) request);
    chain.doFilter(drained, response);
    if (!request.isAsyncStarted()) {
      drained.readRest(response);
    }
  }

  /** A request whose body is read to its end, even if others have read a part of it. */
  private static final class Drained extends HttpServletRequestWrapper {
    private boolean wasAskedFor;

    Drained(HttpServletRequest request) {
      super(request);
    }

    @Override
    public ServletInputStream getInputStream() throws IOException {
      wasAskedFor = true;
      return super.getInputStream();
    }

    private void readRest(ServletResponse response) {
      // Reading asks for what a client holds back until it is asked.
      boolean isHeldBack = !wasAskedFor && getHeader("Expect") != null;
      boolean isEmpty = getContentLengthLong() <= 0 && getHeader("Transfer-Encoding") == null;
      if (isHeldBack || isEmpty) {
        return;
      }
      try {
        ServletInputStream rest = super.getInputStream();
        if (!rest.isFinished()) {
          // A client that looks for the answer while it sends has it now.
          response.getOutputStream().close();
          skip(rest);
        }
      } catch (IOException e) {
        // The client went away, or stopped sending: it reads no answer.
      }
    }

    private static void skip(InputStream rest) throws IOException {
      long until = System.nanoTime() + LONGEST_REST.toNanos();
      byte[] buffer = new byte[8192];
      long left = MOST_REST_BYTES;
      int read = 0;
      while (read >= 0 && left > 0 && System.nanoTime() < until) {
        read = rest.read(buffer);
        left -= read;
      }
    }
  }
}
