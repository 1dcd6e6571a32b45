package dev.holdfast.web.port;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes sure that requests are what their first lines say. There are no web sockets here. A client
 * that asks for one gets the usual answer, as HTTP requires for upgrades that a server does not
 * know, and no session is made before the token is checked. No header gives a request another
 * method.
 */
public record PlainRequests() implements Filter {
  private static final List<String> UNHEARD =
      List.of("Sec-WebSocket-Version", "X-HTTP-Method-Override");

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    chain.doFilter(new Plain((HttpServletRequest) request), response);
  }

  private static final class Plain extends HttpServletRequestWrapper {
    Plain(HttpServletRequest request) {
      super(request);
    }

    @Override
    public @Nullable String getHeader(String name) {
      return UNHEARD.stream().anyMatch(name::equalsIgnoreCase) ? null : super.getHeader(name);
    }
  }
}
