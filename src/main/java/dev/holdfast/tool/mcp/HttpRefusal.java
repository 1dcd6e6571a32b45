package dev.holdfast.tool.mcp;

import io.modelcontextprotocol.client.transport.McpHttpClientTransportAuthorizationException;
import io.modelcontextprotocol.spec.McpTransportException;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Finds the HTTP status by which a server said that it did not begin a call. */
final class HttpRefusal {
  private static final int UNAUTHORIZED = 401;
  private static final int FORBIDDEN = 403;
  private static final int REQUEST_TIMEOUT = 408;
  private static final int MAX_CAUSES = 20;

  /** The words of the SDK before what the server said; it gives the status in no other way. */
  private static final Pattern STATUS =
      Pattern.compile(
          "(?:Received unexpected|Bad Request\\.|Server Not Found\\.) [Ss]tatus code:"
              + " ?(4\\d\\d)\\b");

  private HttpRefusal() {}

  /** Returns advice where the server does not let the worker in; null otherwise. */
  static @Nullable String remedy(int status) {
    boolean unwelcome = status == UNAUTHORIZED || status == FORBIDDEN;
    return unwelcome
        ? "See whether the headers that the design sends still let the worker in."
        : null;
  }

  /** Returns the status of an error or of one of its causes. */
  static OptionalInt statusWithin(Exception error) {
    @Nullable Throwable cause = error;
    for (int i = 0; cause instanceof Exception each && i < MAX_CAUSES; i++) {
      OptionalInt status = status(each);
      if (status.isPresent()) {
        return status;
      }
      cause = each.getCause();
    }
    return OptionalInt.empty();
  }

  /** Returns the status; empty for every error after which the call may have taken effect. */
  static OptionalInt status(Exception error) {
    if (error instanceof McpHttpClientTransportAuthorizationException unwelcome) {
      return OptionalInt.of(unwelcome.getResponseInfo().statusCode());
    }
    if (!(error instanceof McpTransportException)) {
      return OptionalInt.empty();
    }
    Matcher words = STATUS.matcher(String.valueOf(error.getMessage()));
    // A proxy may send 408 for a call that the server behind it has begun.
    return words.lookingAt() && Integer.parseInt(words.group(1)) != REQUEST_TIMEOUT
        ? OptionalInt.of(Integer.parseInt(words.group(1)))
        : OptionalInt.empty();
  }
}
