package dev.holdfast.llm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.ModelBehaviour;
import dev.holdfast.testing.ModelReply;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What comes back where the provider hangs, drops, cuts or talks rubbish. */
class BrokenAnswersTest extends ProviderFixture {
  private static final Duration SHORT = Duration.ofMillis(400);

  @ParameterizedTest
  @EnumSource
  @DisplayName("B18: a server that hangs is a timeout, and its connection is closed")
  void hangs(Vendor vendor) throws InterruptedException {
    models.next(ModelBehaviour.hang());
    CallResult.Failed failed = timedOut(vendor, SHORT);
    assertThat(failed.message()).contains("400ms");
    assertThat(wire).singleElement().extracting(WireCall::httpStatus).isNull();
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("B18: a server that drips for ever is cut by the same deadline")
  void drips(Vendor vendor) throws InterruptedException {
    CountDownLatch hungUp = new CountDownLatch(1);
    models.next(ModelBehaviour.drip(Duration.ofMillis(20), hungUp));
    // Long enough that the answer has begun on a busy machine, too.
    timedOut(vendor, Duration.ofSeconds(3));
    assertThat(hungUp.await(60, TimeUnit.SECONDS)).as("the connection is closed").isTrue();
    assertThat(wire).singleElement().extracting(WireCall::httpStatus).isEqualTo(200);
  }

  private CallResult.Failed timedOut(Vendor vendor, Duration deadline) throws InterruptedException {
    CallResult.Failed failed =
        (CallResult.Failed) provider(vendor).call(request(deadline), StreamListener.NONE);
    assertThat(failed.kind()).isEqualTo(FailureKind.TIMEOUT);
    assertThat(failed.retryable()).isTrue();
    assertThat(failed.maybeBilled()).isTrue();
    assertThat(models.requests()).hasSize(1);
    assertThat(wire).singleElement().extracting(WireCall::failure).isEqualTo(FailureKind.TIMEOUT);
    return failed;
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("an interrupt closes the connection at once and the request may have been billed")
  void interrupted(Vendor vendor) throws InterruptedException {
    CountDownLatch hungUp = new CountDownLatch(1);
    CountDownLatch streaming = new CountDownLatch(1);
    models.next(ModelBehaviour.drip(Duration.ofMillis(20), hungUp));
    ChatProvider provider = provider(vendor);
    CountDownLatch thrown = new CountDownLatch(1);
    Thread caller =
        Thread.ofPlatform()
            .start(
                () -> {
                  try {
                    provider.call(
                        request(),
                        new StreamListener() {
                          @Override
                          public void text(String piece) {
                            streaming.countDown();
                          }
                        });
                  } catch (InterruptedException _) {
                    thrown.countDown();
                  }
                });
    assertThat(streaming.await(60, TimeUnit.SECONDS)).isTrue();
    caller.interrupt();
    assertThat(thrown.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(hungUp.await(60, TimeUnit.SECONDS)).isTrue();
    caller.join();
    assertThat(wire).singleElement().matches(WireCall::maybeBilled);
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("one dropped connection before the first byte is asked again, free and at once")
  void staleConnection(Vendor vendor) throws InterruptedException {
    models.next(ModelBehaviour.dropBeforeFirstByte(), ModelBehaviour.answer("there"));
    assertThat(answered(vendor).message().text()).isEqualTo("there");
    assertThat(wire).extracting(WireCall::failure).containsExactly(FailureKind.NETWORK_ERROR, null);
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("E4: a second drop in a row is a network error, told with its root cause")
  void droppedTwice(Vendor vendor) throws InterruptedException {
    models.next(ModelBehaviour.dropBeforeFirstByte(), ModelBehaviour.dropBeforeFirstByte());
    networkError(failed(vendor));
    assertThat(models.requests()).hasSize(2);
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("a drop behind the first byte or mid-stream is a network error, not asked again")
  void cut(Vendor vendor) throws InterruptedException {
    models.next(
        ModelBehaviour.dropAfterFirstByte(), ModelBehaviour.cutAfter(3, ModelReply.text("abc")));
    networkError(failed(vendor));
    networkError(failed(vendor));
    assertThat(models.requests()).hasSize(2);
  }

  @ParameterizedTest
  @CsvSource({"OPENAI, 4", "ANTHROPIC, 5", "ANTHROPIC, 6"})
  @DisplayName("an answer that is whole, with its usage, is not paid again for a cut behind it")
  void cutBehindTheEnd(Vendor vendor, int events) throws InterruptedException {
    models.next(ModelBehaviour.cutAfter(events, ModelReply.text("abc")));
    CallResult.Answer answer = answered(vendor);
    assertThat(answer.message().text()).isEqualTo("abc");
    assertThat(answer.usage().output()).isPositive();
  }

  @ParameterizedTest
  @CsvSource({"OPENAI, 5", "ANTHROPIC, 6"})
  @DisplayName("an answer that says that it ends is not waited for any longer")
  void openBehindTheEnd(Vendor vendor, int events) throws InterruptedException {
    CountDownLatch never = new CountDownLatch(1);
    models.next(ModelBehaviour.pauseAfter(events, never, ModelReply.text("abc")));
    assertThat(answered(vendor).message().text()).isEqualTo("abc");
    never.countDown();
  }

  @ParameterizedTest
  @CsvSource({"OPENAI, 4", "ANTHROPIC, 5"})
  @DisplayName(
      "an answer that is whole, with its usage, is no timeout, although its end never comes")
  void neverEnds(Vendor vendor, int events) throws InterruptedException {
    CountDownLatch never = new CountDownLatch(1);
    models.next(ModelBehaviour.pauseAfter(events, never, ModelReply.text("abc")));
    CallResult result = provider(vendor).call(request(Duration.ofSeconds(3)), StreamListener.NONE);
    assertThat(result).isInstanceOf(CallResult.Answer.class);
    assertThat(((CallResult.Answer) result).message().text()).isEqualTo("abc");
    assertThat(wire).singleElement().extracting(WireCall::failure).isNull();
    never.countDown();
  }

  @Test
  @DisplayName("figures of usage without measure overflow no sum")
  void usageWithoutMeasure() throws InterruptedException {
    models.next(
        ModelBehaviour.rawStream(
            "data:"
                + " {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":9223372036854775807,\"completion_tokens\":9223372036854775807}}\n\n"
                + "data: [DONE]\n\n"));
    Usage usage = answered(Vendor.OPENAI).usage();
    assertThat(usage.plus(usage)).isEqualTo(usage);
    assertThat(usage.context()).isEqualTo(2_000_000_000_000L);
  }

  @Test
  @DisplayName("an event that is an error by its name is told in its words")
  void errorEvent() throws InterruptedException {
    models.next(
        ModelBehaviour.rawStream(
            "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\n"
                + "event: error\ndata: {\"message\":\"upstream died\"}\n\n"));
    assertThat(failed(Vendor.OPENAI).message()).isEqualTo("error within the answer: upstream died");
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("a stream that ends in good order before the answer does is a network error")
  void endsEarly(Vendor vendor) throws InterruptedException {
    String openAi = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\n";
    String anthropic =
        "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,"
            + "\"content_block\":{\"type\":\"text\",\"text\":\"a\"}}\n\n";
    models.next(ModelBehaviour.rawStream(vendor == Vendor.OPENAI ? openAi : anthropic));
    networkError(failed(vendor));
  }

  private static void networkError(CallResult.Failed failed) {
    assertThat(failed.kind()).as(failed.message()).isEqualTo(FailureKind.NETWORK_ERROR);
    assertThat(failed.retryable()).isTrue();
    assertThat(failed.maybeBilled()).isTrue();
    assertThat(failed.cause()).isNotNull();
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName(
      "B17, issue 19: nobody listening is a network error that surely cost nothing, and is asked"
          + " once")
  void refused(Vendor vendor) throws Exception {
    CallResult.Failed failed;
    // Its port is nobody else's, who would listen there: that of a server that was closed may be.
    try (Socket silent = new Socket()) {
      silent.bind(new InetSocketAddress("127.0.0.1", 0));
      String url = vendor.url(models).replaceFirst(":[0-9]+", ":" + silent.getLocalPort());
      ChatProvider provider =
          opened(
              vendor.on(
                  new ProviderSettings(vendor.name(), url, List.of("secret-1"), Prices.NONE),
                  wire::add));
      failed = (CallResult.Failed) provider.call(request(), StreamListener.NONE);
    }
    assertThat(failed.kind()).isEqualTo(FailureKind.NETWORK_ERROR);
    assertThat(failed.maybeBilled()).isFalse();
    assertThat(failed.message()).containsIgnoringCase("connect");
    assertThat(wire).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource({
    "OPENAI, overloaded_error, MODEL_ERROR, true",
    "ANTHROPIC, overloaded_error, MODEL_ERROR, true",
    "OPENAI, server_error, MODEL_ERROR, true",
    "ANTHROPIC, api_error, MODEL_ERROR, true",
    "OPENAI, rate_limit_exceeded, RATE_LIMIT, true",
    "ANTHROPIC, rate_limit_error, RATE_LIMIT, true",
    "OPENAI, insufficient_quota, QUOTA_EXCEEDED, false",
    "ANTHROPIC, billing_error, QUOTA_EXCEEDED, false",
    "OPENAI, context_length_exceeded, CONTEXT_OVERFLOW, false",
    "ANTHROPIC, invalid_request_error, MODEL_ERROR, false",
  })
  @DisplayName("B17: an error within the stream on HTTP 200 is that error")
  void errorInStream(Vendor vendor, String type, FailureKind kind, boolean retryable)
      throws InterruptedException {
    models.next(ModelBehaviour.errorInStream(2, type, "it broke"));
    CallResult.Failed failed = failed(vendor);
    assertThat(failed.kind()).as(failed.toString()).isEqualTo(kind);
    assertThat(failed.retryable()).isEqualTo(retryable);
    assertThat(failed.code()).isEqualTo(type);
    assertThat(failed.message()).contains("it broke");
    assertThat(failed.maybeBilled()).isTrue();
  }

  @Test
  @DisplayName("B17: a gateway's number within the stream counts as the status it is")
  void numberInStream() throws InterruptedException {
    models.next(
        ModelBehaviour.rawStream(
            "data: {\"error\":{\"code\":429,\"message\":\"upstream, try again in 7s\"}}\n\n"));
    CallResult.Failed failed = failed(Vendor.OPENAI);
    assertThat(failed.kind()).isEqualTo(FailureKind.RATE_LIMIT);
    assertThat(failed.retryAfter()).isEqualTo(Duration.ofSeconds(7));
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("HTML on 200 is an invalid response that names the page's title")
  void html(Vendor vendor) throws InterruptedException {
    models.next(ModelBehaviour.html(200, "<!doctype html><html><title>Log in</title></html>"));
    assertThat(invalid(failed(vendor)).message()).contains("Log in");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{}",
        "[]",
        "null",
        "42",
        "{\"choices\": \"none\"}",
        "bad gateway",
        "data: {half\n\n",
        "data: []\n\n",
        "data: \"text\"\n\n",
        "event: nonsense\ndata: {\"type\":\"nonsense\"}\n\n",
        ": ping\n\n: ping\n\n",
        "\u0000\u0001\u0002",
      })
  @DisplayName("garbage on 200 is an invalid response, whatever it is")
  void garbage(String body) throws InterruptedException {
    for (Vendor vendor : Vendor.values()) {
      models.next(ModelBehaviour.rawStream(body), ModelBehaviour.status(200, Map.of(), body));
      for (int i = 0; i < 2; i++) {
        CallResult.Failed failed = failed(vendor);
        assertThat(failed.kind())
            .as("%s: %s", vendor, failed)
            .isIn(FailureKind.INVALID_RESPONSE, FailureKind.NETWORK_ERROR);
        assertThat(failed.retryable()).isTrue();
      }
    }
  }

  @Test
  @DisplayName("an answer without choices is an invalid response")
  void noChoices() throws InterruptedException {
    models.next(
        ModelBehaviour.rawStream("data: {\"id\":\"x\",\"choices\":[]}\n\ndata: [DONE]\n\n"),
        ModelBehaviour.status(200, Map.of(), "{\"choices\":[]}"));
    assertThat(invalid(failed(Vendor.OPENAI)).message()).contains("no choices");
    assertThat(invalid(failed(Vendor.OPENAI)).message()).contains("no choices");
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("HTTP 200 with the document of an error is that error")
  void errorDocument(Vendor vendor) throws InterruptedException {
    String body =
        "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"m\"}}";
    models.next(ModelBehaviour.status(200, Map.of(), body));
    CallResult.Failed failed = failed(vendor);
    assertThat(failed.kind()).isEqualTo(FailureKind.MODEL_ERROR);
    assertThat(failed.retryable()).isTrue();
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("an answer of 5 MB is cut off as invalid; one of 4 MB passes")
  void huge(Vendor vendor) throws InterruptedException {
    models.next(ModelBehaviour.huge(5_000_000), ModelBehaviour.huge(4_000_000));
    assertThat(invalid(failed(vendor)).message()).contains("longer than 4194304 characters");
    assertThat(answered(vendor).message().text()).hasSize(4_000_000);
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("a single line without an end is cut off as well")
  void endlessLine(Vendor vendor) throws InterruptedException {
    models.next(ModelBehaviour.rawStream("data: " + "x".repeat(18_000_000)));
    assertThat(invalid(failed(vendor)).message()).contains("longer than");
  }

  private static CallResult.Failed invalid(CallResult.Failed failed) {
    assertThat(failed.kind()).as(failed.message()).isEqualTo(FailureKind.INVALID_RESPONSE);
    assertThat(failed.retryable()).isTrue();
    assertThat(failed.maybeBilled()).isTrue();
    return failed;
  }
}
