package dev.holdfast.web.port;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.IOException;

/**
 * Answers HEAD as GET, and the server leaves the body out: some programs check the health of a
 * worker this way.
 *
 * @param endless the beginning of paths whose answers have no end; there HEAD stays HEAD
 */
public record HeadAsGet(String endless) implements Filter {
  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    HttpServletRequest http = (HttpServletRequest) request;
    boolean asGet = http.getMethod().equals("HEAD") && !http.getRequestURI().startsWith(endless);
    chain.doFilter(asGet ? new AsGet(http) : request, response);
  }

  private static final class AsGet extends HttpServletRequestWrapper {
    AsGet(HttpServletRequest request) {
      super(request);
    }

    @Override
    public String getMethod() {
      return "GET";
    }
  }
}
