package dev.holdfast.llm.wire;

import dev.holdfast.failure.RetryHints;
import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.FailureKind;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnknownHostException;
import java.security.cert.CertPathBuilderException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;

/** Makes failures of what an exchange threw and of what was seen of its answer. */
public final class Failures {
  private static final int MAX_CAUSES = 20;
  private static final Pattern STATES_RESET =
      Pattern.compile("reset|regain access", Pattern.CASE_INSENSITIVE);

  private Failures() {}

  /** Makes the failure of an answer with that status and body, for a provider without a wire. */
  public static CallResult.Failed ofAnswer(int status, String body, Instant now) {
    return answered(status, body, Map.of(), now, null);
  }

  /**
   * Makes the failure of a call that the deadline cut. An error's status is known before its body
   * ends.
   */
  static CallResult.Failed late(String message, Transmission seen, Instant now) {
    Integer status = seen.status();
    return status != null && status >= 300
        ? answered(status, seen.errorBody(), seen.headers(), now, null)
        : failed(ErrorMeaning.TIMEOUT, message, true, null);
  }

  static CallResult.Failed of(Exception thrown, Transmission seen, Instant now) {
    Integer status = seen.status();
    if (status != null && status >= 300) {
      return answered(status, seen.errorBody(), seen.headers(), now, thrown);
    }
    if (thrown instanceof ErrorInStreamException inStream) {
      return inStream(inStream, seen.headers(), now);
    }
    Throwable tooLong = find(thrown, AnswerTooLongException.class);
    if (tooLong != null) {
      return failed(ErrorMeaning.INVALID, message(tooLong), true, thrown);
    }
    IOException io = find(thrown, IOException.class);
    return io == null || isUnreadable(io)
        ? failed(ErrorMeaning.INVALID, "the answer cannot be read: " + chain(thrown), true, thrown)
        : io(thrown, io, seen);
  }

  /** True for Jackson's exceptions: they are IOExceptions, but no trouble of the network. */
  private static boolean isUnreadable(IOException io) {
    return io.getClass().getName().startsWith("com.fasterxml.jackson.");
  }

  private static CallResult.Failed answered(
      int status,
      String text,
      Map<String, List<String>> headers,
      Instant now,
      @Nullable Throwable cause) {
    ErrorBody body = ErrorBody.of(text);
    ErrorMeaning meaning = ErrorTable.of(status, body);
    return new CallResult.Failed(
        meaning.kind(),
        meaning.retryable(),
        "HTTP " + status + redirected(status, headers) + named(body),
        status,
        body.codes().isEmpty() ? null : body.codes().getFirst(),
        hint(meaning.kind(), headers, text, now),
        ErrorTable.maybeBilled(status, meaning.kind()),
        cause);
  }

  /** Names only the server that a redirect leads to: the rest of the address may hold a secret. */
  private static String redirected(int status, Map<String, List<String>> headers) {
    for (Map.Entry<String, List<String>> header : headers.entrySet()) {
      if (ErrorTable.isRedirect(status) && header.getKey().equalsIgnoreCase("Location")) {
        return ": the server redirects to "
            + server(String.join("", header.getValue()))
            + ", which is not followed; make the provider's base-url the address that answers";
      }
    }
    return "";
  }

  private static String server(String location) {
    try {
      URI address = new URI(location);
      if (address.getRawAuthority() == null) {
        return "another path of the same server";
      }
      String scheme = address.getScheme() == null ? "" : address.getScheme() + ":";
      return scheme + "//" + address.getRawAuthority().replaceFirst(".*@", "");
    } catch (URISyntaxException _) {
      return "an address that cannot be read";
    }
  }

  private static CallResult.Failed inStream(
      ErrorInStreamException error, Map<String, List<String>> headers, Instant now) {
    ErrorBody body = ErrorBody.of(error.body());
    ErrorMeaning meaning = ErrorTable.of(null, body);
    return new CallResult.Failed(
        meaning.kind(),
        meaning.retryable(),
        "error within the answer" + named(body),
        body.number(),
        body.codes().isEmpty() ? null : body.codes().getFirst(),
        hint(meaning.kind(), headers, error.body(), now),
        true,
        error);
  }

  /**
   * Returns the time to wait. For a used-up account it comes from the body alone (T5): headers
   * about rates say nothing of that, and nothing of a refused key.
   */
  private static @Nullable Duration hint(
      FailureKind kind, Map<String, List<String>> headers, String body, Instant now) {
    return switch (kind) {
      case AUTH_ERROR -> null;
      case QUOTA_EXCEEDED ->
          STATES_RESET.matcher(body).find()
              ? RetryHints.find(onlyDate(headers), body, now).orElse(null)
              : null;
      default -> RetryHints.find(headers, body, now).orElse(null);
    };
  }

  private static Map<String, List<String>> onlyDate(Map<String, List<String>> headers) {
    Map<String, List<String>> date = new HashMap<>(headers);
    date.keySet().removeIf(name -> !name.equalsIgnoreCase("date"));
    return date;
  }

  private static String named(ErrorBody body) {
    String code = body.codes().isEmpty() ? "" : " " + body.codes().getFirst();
    return code + (body.message().isEmpty() ? "" : ": " + body.message());
  }

  private static CallResult.Failed io(Exception thrown, IOException io, Transmission seen) {
    boolean sent = seen.status() != null || !isBeforeConnection(thrown);
    boolean timedOut =
        find(thrown, SocketTimeoutException.class) != null || io instanceof InterruptedIOException;
    if (timedOut) {
      return failed(ErrorMeaning.TIMEOUT, chain(thrown), sent, thrown);
    }
    if (isHopeless(thrown)) {
      return failed(
          new ErrorMeaning(ErrorMeaning.NETWORK.kind(), false),
          "no answer: " + chain(thrown) + wayOut(thrown),
          sent,
          thrown);
    }
    return seen.status() == null
        ? failed(ErrorMeaning.NETWORK, "no answer: " + chain(thrown), sent, thrown)
        : cut("the answer was cut: " + chain(thrown), seen.status(), thrown);
  }

  private static CallResult.Failed cut(String message, Integer status, Exception thrown) {
    return new CallResult.Failed(
        ErrorMeaning.NETWORK.kind(),
        ErrorMeaning.NETWORK.retryable(),
        ErrorBody.cut(message),
        status,
        null,
        null,
        true,
        thrown);
  }

  /**
   * True if no later try helps. A server that ends the connection during the handshake is only gone
   * for now.
   */
  private static boolean isHopeless(Throwable thrown) {
    return find(thrown, SSLPeerUnverifiedException.class) != null
        || (find(thrown, SSLHandshakeException.class) != null
            && find(thrown, EOFException.class) == null);
  }

  /** Returns advice, mostly for a company's proxy or gateway whose authority Java does not know. */
  private static String wayOut(Throwable thrown) {
    return find(thrown, CertPathBuilderException.class) == null
        ? ""
        : "; give Java a trust store that has the server's authority:"
            + " HOLDFAST_JAVA_OPTS=-Djavax.net.ssl.trustStore=FILE";
  }

  private static boolean isBeforeConnection(Throwable thrown) {
    Throwable connect = find(thrown, SocketTimeoutException.class);
    boolean connectTimedOut = connect != null && message(connect).contains("onnect timed out");
    return connectTimedOut
        || find(thrown, ConnectException.class) != null
        || find(thrown, UnknownHostException.class) != null
        || find(thrown, NoRouteToHostException.class) != null
        || find(thrown, SSLHandshakeException.class) != null;
  }

  static CallResult.Failed failed(
      ErrorMeaning meaning, String message, boolean maybeBilled, @Nullable Throwable cause) {
    return new CallResult.Failed(
        meaning.kind(),
        meaning.retryable(),
        ErrorBody.cut(message),
        null,
        null,
        null,
        maybeBilled,
        cause);
  }

  /** Finds an exception of a type, also as a nested cause (E4). */
  static <T extends Throwable> @Nullable T find(Throwable thrown, Class<T> type) {
    Throwable link = thrown;
    T deepest = null;
    for (int i = 0; link != null && i < MAX_CAUSES; i++) {
      if (type.isInstance(link)) {
        deepest = type.cast(link);
      }
      link = link.getCause();
    }
    return deepest;
  }

  /** True if the text is in what a log would show of the exception and its causes. */
  static boolean mentions(@Nullable Throwable thrown, String text) {
    Throwable link = thrown;
    for (int i = 0; link != null && i < MAX_CAUSES; i++) {
      if (link.toString().contains(text)) {
        return true;
      }
      link = link.getCause();
    }
    return false;
  }

  /** Returns the messages from the outermost to the root cause, each once. */
  private static String chain(Throwable thrown) {
    StringBuilder out = new StringBuilder();
    Throwable link = thrown;
    for (int i = 0; link != null && i < MAX_CAUSES; i++) {
      String message = message(link);
      if (out.indexOf(message) < 0) {
        out.append(out.isEmpty() ? "" : ": ").append(message);
      }
      link = link.getCause();
    }
    return out.toString();
  }

  private static String message(Throwable thrown) {
    String message = thrown.getMessage();
    return message == null || message.isBlank() ? thrown.getClass().getSimpleName() : message;
  }
}
