package dev.holdfast.llm.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.FailureKind;
import dev.holdfast.llm.StreamListener;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertPathBuilderException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What comes of an exception and of as much of an answer as was seen. */
class FailuresTest {
  private static final Instant NOW = Instant.parse("2026-11-21T12:00:00Z");

  /** Nothing of an answer was seen. */
  private static Transmission nothing() {
    return new Transmission(StreamListener.NONE, 1_000);
  }

  private static Transmission seen(int status, Map<String, List<String>> headers, String body) {
    Transmission seen = nothing();
    seen.opened(
        status, headers, null, new ByteArrayInputStream(body.getBytes(StandardCharsets.UTF_8)));
    return seen;
  }

  private static CallResult.Failed of(Exception thrown, Transmission seen) {
    return Failures.of(thrown, seen, NOW);
  }

  private static RuntimeException wrapped(Exception cause) {
    return new RuntimeException("Request failed", new RuntimeException("io", cause));
  }

  static Stream<Arguments> beforeTheAnswer() {
    return Stream.of(
        Arguments.of(new ConnectException("refused"), "NETWORK_ERROR", true, false),
        Arguments.of(new UnknownHostException("nowhere"), "NETWORK_ERROR", true, false),
        Arguments.of(new NoRouteToHostException("x"), "NETWORK_ERROR", true, false),
        Arguments.of(new SocketException("Connection reset"), "NETWORK_ERROR", true, true),
        Arguments.of(new EOFException(), "NETWORK_ERROR", true, true),
        Arguments.of(new SSLHandshakeException("expired"), "NETWORK_ERROR", false, false),
        Arguments.of(new SSLPeerUnverifiedException("other"), "NETWORK_ERROR", false, true),
        Arguments.of(endedHandshake(), "NETWORK_ERROR", true, false),
        Arguments.of(new SocketTimeoutException("Connect timed out"), "TIMEOUT", true, false),
        Arguments.of(new SocketTimeoutException("connect timed out"), "TIMEOUT", true, false),
        Arguments.of(new SocketTimeoutException("Read timed out"), "TIMEOUT", true, true),
        Arguments.of(new SocketTimeoutException(), "TIMEOUT", true, true),
        Arguments.of(new InterruptedIOException("timeout"), "TIMEOUT", true, true));
  }

  /** A server that restarts, or a balancer without one behind it. */
  private static IOException endedHandshake() {
    IOException ended = new SSLHandshakeException("Remote host terminated the handshake");
    ended.initCause(new EOFException("SSL peer shut down incorrectly"));
    return ended;
  }

  @Test
  @DisplayName("E3: an authority that is not trusted is told with what makes it so")
  void unknownAuthority() {
    IOException refused = new SSLHandshakeException("PKIX path building failed");
    refused.initCause(new CertPathBuilderException("no valid certification path"));
    CallResult.Failed failed = of(wrapped(refused), nothing());
    assertThat(failed.retryable()).isFalse();
    assertThat(failed.message())
        .startsWith("no answer: Request failed: io: PKIX path building failed")
        .endsWith("HOLDFAST_JAVA_OPTS=-Djavax.net.ssl.trustStore=FILE");
  }

  @ParameterizedTest
  @MethodSource("beforeTheAnswer")
  @DisplayName("B17, E4: the root cause decides, and whether anything can have been billed")
  void network(IOException root, FailureKind kind, boolean retryable, boolean billed) {
    CallResult.Failed failed = of(wrapped(root), nothing());
    assertThat(failed.kind()).isEqualTo(kind);
    assertThat(failed.retryable()).isEqualTo(retryable);
    assertThat(failed.maybeBilled()).isEqualTo(billed);
    assertThat(failed.httpStatus()).isNull();
    assertThat(failed.cause()).isNotNull();
  }

  @Test
  @DisplayName("a connection that breaks behind the head of the answer may have been billed")
  void cut() {
    CallResult.Failed failed = of(new ConnectException("odd"), noneOfIt());
    assertThat(failed.maybeBilled()).isTrue();
    assertThat(failed.message()).isEqualTo("the answer was cut: odd");
    assertThat(of(new ConnectException("odd"), nothing()).message()).isEqualTo("no answer: odd");
  }

  private static Transmission noneOfIt() {
    return seen(200, Map.of(), "");
  }

  @Test
  @DisplayName("E4: the message names each cause once, and one without words by its type")
  void chain() {
    IOException root = new IOException("reset by peer");
    Exception again = new UncheckedIOException("io: reset by peer", new IOException(" ", root));
    assertThat(of(again, nothing()).message())
        .isEqualTo("no answer: io: reset by peer: IOException");
  }

  @Test
  @DisplayName("a chain of causes without an end is followed for a while only")
  void endlessChain() {
    Exception one = new RuntimeException("one");
    one.initCause(new RuntimeException("two", one));
    assertThat(of(one, nothing()).kind()).isEqualTo(FailureKind.INVALID_RESPONSE);
    assertThat(of(one, nothing()).message()).endsWith("one: two");
    assertThat(Failures.mentions(one, "two")).isTrue();
    assertThat(Failures.mentions(one, "three")).isFalse();
    assertThat(Failures.mentions(null, "one")).isFalse();
  }

  @Test
  @DisplayName("what is not the network's fault is an answer that cannot be read")
  void unreadable() {
    CallResult.Failed failed = of(new IllegalStateException("no such field"), noneOfIt());
    assertThat(failed.kind()).isEqualTo(FailureKind.INVALID_RESPONSE);
    assertThat(failed.retryable()).isTrue();
    assertThat(failed.message()).isEqualTo("the answer cannot be read: no such field");
    Exception json = new com.fasterxml.jackson.core.JsonParseException(null, "half a JSON");
    assertThat(of(wrapped(json), noneOfIt()).kind())
        .as("Jackson's are IOExceptions")
        .isEqualTo(FailureKind.INVALID_RESPONSE);
    CallResult.Failed tooLong = of(wrapped(new AnswerTooLongException(10)), noneOfIt());
    assertThat(tooLong.kind()).isEqualTo(FailureKind.INVALID_RESPONSE);
    assertThat(tooLong.message())
        .isEqualTo("the answer is longer than 10 characters and was cut off");
  }

  @Test
  @DisplayName("a message is cut to what a log can bear")
  void bounded() {
    assertThat(of(new IOException("x".repeat(50_000)), nothing()).message()).hasSize(4_003);
  }

  @Test
  @DisplayName("B17: an error's status and body go before whatever the SDK throws of it")
  void answered() {
    String body = "{\"error\":{\"message\":\"m\",\"code\":\"rate_limit_exceeded\"}}";
    CallResult.Failed failed =
        of(new SocketException("reset"), seen(429, Map.of("Retry-After", List.of("7")), body));
    assertThat(failed.kind()).isEqualTo(FailureKind.RATE_LIMIT);
    assertThat(failed.httpStatus()).isEqualTo(429);
    assertThat(failed.code()).isEqualTo("rate_limit_exceeded");
    assertThat(failed.message()).isEqualTo("HTTP 429 rate_limit_exceeded: m");
    assertThat(failed.retryAfter()).isEqualTo(Duration.ofSeconds(7));
    assertThat(failed.maybeBilled()).isFalse();
    assertThat(of(new IOException("x"), seen(300, Map.of(), "")).message()).isEqualTo("HTTP 300");
  }

  @ParameterizedTest
  @CsvSource({
    "https://gate.example/login?token=s3cret, https://gate.example",
    "https://ann:s3cret@gate.example:8443/, https://gate.example:8443",
    "//gate.example/s3cret, //gate.example",
    "/s3cret, another path of the same server",
    "https://gate.example/s3cret path, an address that cannot be read",
  })
  @DisplayName("B17: a redirect is told of with its host alone, and never tried again")
  void redirected(String location, String told) {
    Map<String, List<String>> headers = Map.of("LOCATION", List.of(location));
    String body = "{\"error\":{\"message\":\"m\",\"code\":\"rate_limit_exceeded\"}}";
    CallResult.Failed failed = of(new IOException("x"), seen(302, headers, body));
    assertThat(failed.kind()).isEqualTo(FailureKind.MODEL_ERROR);
    assertThat(failed.retryable()).isFalse();
    assertThat(failed.maybeBilled()).isFalse();
    assertThat(failed.message())
        .startsWith("HTTP 302: the server redirects to " + told + ",")
        .doesNotContain("s3cret");
  }

  @Test
  @DisplayName("B17: an error within the stream has its code, its hint, and was possibly billed")
  void inStream() {
    String body = "{\"error\":{\"message\":\"try again in 3s\",\"code\":429,\"type\":\"odd\"}}";
    CallResult.Failed failed =
        of(new ErrorInStreamException(body, new RuntimeException("sse")), noneOfIt());
    assertThat(failed.kind()).isEqualTo(FailureKind.RATE_LIMIT);
    assertThat(failed.httpStatus()).isEqualTo(429);
    assertThat(failed.code()).isEqualTo("odd");
    assertThat(failed.message()).isEqualTo("error within the answer odd: try again in 3s");
    assertThat(failed.retryAfter()).isEqualTo(Duration.ofSeconds(3));
    assertThat(failed.maybeBilled()).isTrue();
    Transmission hinting = seen(200, Map.of("Retry-After", List.of("9")), "");
    assertThat(of(new ErrorInStreamException("{}", new IOException()), hinting).retryAfter())
        .as("by the headers of the answer that it broke off")
        .isEqualTo(Duration.ofSeconds(9));
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        "401, , -",
        "401, You regain access in 30 s. Retry after: 30, -",
        "402, , -",
        "402, Your limit resets. Retry after 40 seconds, PT40S",
        "402, Try again in 40s, -",
        "429, , PT20S",
        "503, , PT20S",
      })
  @DisplayName("T5: what headers tell of rates tells nothing of a dead key or an empty account")
  void hints(int status, @Nullable String words, @Nullable Duration hint) {
    String body = "{\"error\":{\"message\":\"" + (words == null ? "" : words) + "\"}}";
    Map<String, List<String>> headers = Map.of("retry-after", List.of("20"));
    assertThat(of(new IOException("x"), seen(status, headers, body)).retryAfter()).isEqualTo(hint);
  }

  @Test
  @DisplayName("T5: an account comes back at the time in its body, by the server's clock if told")
  void regain() {
    String body =
        "{\"error\":{\"message\":\"You have reached your specified API usage limits. You will"
            + " regain access on 2026-11-22 at 00:00 UTC.\"}}";
    assertThat(Failures.ofAnswer(400, body, NOW).retryAfter()).isEqualTo(Duration.ofHours(12));
    Map<String, List<String>> date = Map.of("Date", List.of("Sat, 21 Nov 2026 23:00:00 GMT"));
    assertThat(of(new IOException("x"), seen(400, date, body)).retryAfter())
        .isEqualTo(Duration.ofHours(1));
  }

  @Test
  @DisplayName("an answer without a wire is mapped like any other")
  void ofAnswer() {
    CallResult.Failed failed = Failures.ofAnswer(529, "{\"error\":{\"code\":\"overloaded\"}}", NOW);
    assertThat(failed.kind()).isEqualTo(FailureKind.MODEL_ERROR);
    assertThat(failed.retryable()).isTrue();
    assertThat(failed.cause()).isNull();
  }

  @ParameterizedTest
  @CsvSource({"PT0S, PT5S, PT5S", "PT14.9S, PT19.9S, PT19.9S", "PT1M, PT1M5S, PT20S"})
  @DisplayName(
      "the SDK's own bounds come later than ours, and a connection's is 20 seconds at most")
  void bounds(Duration timeout, Duration whole, Duration connect) {
    assertThat(HttpBounds.whole(timeout)).isEqualTo(whole);
    assertThat(HttpBounds.connect(timeout)).isEqualTo(connect);
  }
}
