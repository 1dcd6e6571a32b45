package dev.holdfast.web;

import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpHeaderValue;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * Turns the HTTP server's own refusals, made before a route is looked for, into problem documents.
 */
final class ServerErrors implements Request.Handler {
  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    int status = response.getStatus();
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, Problem.MEDIA_TYPE);
    response.getHeaders().put(HttpHeader.CACHE_CONTROL, "no-store");
    // The server closes the connection now. A client that does not know this would send its next
    // request while the connection ends.
    response.getHeaders().put(HttpHeader.CONNECTION, HttpHeaderValue.CLOSE);
    String body = Bodies.json(Problem.of(status, why(status)).document());
    Content.Sink.write(response, true, body, callback);
    return true;
  }

  private static String why(int status) {
    return switch (status) {
      case HttpStatus.URI_TOO_LONG_414 -> "the address is too long: take shorter names in it";
      case HttpStatus.REQUEST_HEADER_FIELDS_TOO_LARGE_431 -> "the headers are too long";
      default -> "the request could not be read";
    };
  }
}
