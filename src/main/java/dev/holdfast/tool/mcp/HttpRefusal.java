package dev.holdfast.tool.mcp;

import io.modelcontextprotocol.client.transport.McpHttpClientTransportAuthorizationException;
import io.modelcontextprotocol.spec.McpTransportException;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Finds the HTTP status by which a server said that it did not begin a call. */
final class HttpRefusal {
  private static final int REQUEST_TIMEOUT = 408;

  /** The SDK tells it in words alone, before what the server said. */
  private static final Pattern STATUS =
      Pattern.compile(
          "(?:Received unexpected|Bad Request\\.|Server Not Found\\.) [Ss]tatus code:"
              + " ?(4\\d\\d)\\b");

  private HttpRefusal() {}

  /** Empty for every error after which the call may have taken effect. */
  static OptionalInt status(Exception error) {
    if (error instanceof McpHttpClientTransportAuthorizationException unwelcome) {
      return OptionalInt.of(unwelcome.getResponseInfo().statusCode());
    }
    if (!(error instanceof McpTransportException)) {
      return OptionalInt.empty();
    }
    Matcher words = STATUS.matcher(String.valueOf(error.getMessage()));
    // A proxy says 408 of a call that the server behind it may have begun.
    return words.lookingAt() && Integer.parseInt(words.group(1)) != REQUEST_TIMEOUT
        ? OptionalInt.of(Integer.parseInt(words.group(1)))
        : OptionalInt.empty();
  }
}
