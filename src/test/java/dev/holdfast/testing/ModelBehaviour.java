package dev.holdfast.testing;

import dev.holdfast.llm.ToolCall;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** What the {@link ModelServer} does with one request. Works for both vendors' paths. */
@FunctionalInterface
public interface ModelBehaviour {
  void respond(ModelExchange exchange) throws IOException, InterruptedException;

  static ModelBehaviour answer(String text) {
    return answer(ModelReply.text(text));
  }

  static ModelBehaviour answer(ModelReply reply) {
    return exchange -> exchange.send(reply);
  }

  static ModelBehaviour toolCalls(ToolCall... calls) {
    return answer(ModelReply.calls(calls));
  }

  /** One tool call with the id "call_1". */
  static ModelBehaviour toolCall(String name, String arguments) {
    return toolCalls(new ToolCall("call_1", name, arguments));
  }

  /** Chooses by what was asked. */
  static ModelBehaviour choose(Function<ModelRequest, ModelBehaviour> choice) {
    return exchange -> choice.apply(exchange.request()).respond(exchange);
  }

  /** An error of the vendor's shape, such as (429, "rate_limit_error", "slow down"). */
  static ModelBehaviour error(int status, String type, String message) {
    return error(status, type, message, Map.of());
  }

  static ModelBehaviour error(
      int status, String type, String message, Map<String, String> headers) {
    return exchange ->
        exchange.send(status, "application/json", headers, exchange.dialect().error(type, message));
  }

  /** Any answer; the content type is JSON where no header says otherwise. */
  static ModelBehaviour status(int status, Map<String, String> headers, String body) {
    return exchange -> exchange.send(status, "application/json", headers, body);
  }

  static ModelBehaviour html(int status, String html) {
    return exchange -> exchange.send(status, "text/html; charset=utf-8", Map.of(), html);
  }

  /** HTTP 200 with an event stream of exactly these bytes. */
  static ModelBehaviour rawStream(String body) {
    return exchange -> exchange.send(200, "text/event-stream; charset=utf-8", Map.of(), body);
  }

  /** The same, then the connection is cut. */
  static ModelBehaviour cutStream(String body) {
    return exchange -> {
      ModelExchange.write(exchange.openStream(), body);
      throw new ModelExchange.CutException();
    };
  }

  /** Sends nothing until released, then answers. */
  static ModelBehaviour hangUntil(CountDownLatch released, ModelBehaviour then) {
    return exchange -> {
      released.await();
      then.respond(exchange);
    };
  }

  /** Sends nothing until the server is closed. */
  static ModelBehaviour hang() {
    return hangUntil(new CountDownLatch(1), answer(""));
  }

  /** Thinks for so long, answers, then tells that it has. */
  static ModelBehaviour after(Duration thought, ModelBehaviour then, Runnable answered) {
    return exchange -> {
      if (new CountDownLatch(1).await(thought.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new IllegalStateException("nobody counts down");
      }
      then.respond(exchange);
      answered.run();
    };
  }

  /** The first events of the answer, then nothing until released, then the rest. */
  static ModelBehaviour pauseAfter(int events, CountDownLatch released, ModelReply reply) {
    return exchange -> {
      List<String> all = exchange.dialect().events(reply, exchange.request().model());
      try (OutputStream out = exchange.openStream()) {
        for (String event : all.subList(0, events)) {
          ModelExchange.write(out, event);
        }
        released.await();
        for (String event : all.subList(events, all.size())) {
          ModelExchange.write(out, event);
        }
      }
    };
  }

  /** Reads the request and closes the connection, as a stale pooled one is. */
  static ModelBehaviour dropBeforeFirstByte() {
    return exchange -> {
      throw new ModelExchange.CutException();
    };
  }

  /** Sends the head of the answer only. */
  static ModelBehaviour dropAfterFirstByte() {
    return cutAfter(0, ModelReply.text(""));
  }

  /** The first events of the answer, then the connection is cut. */
  static ModelBehaviour cutAfter(int events, ModelReply reply) {
    return exchange -> {
      OutputStream out = exchange.openStream();
      out.flush();
      for (String event :
          exchange.dialect().events(reply, exchange.request().model()).subList(0, events)) {
        ModelExchange.write(out, event);
      }
      throw new ModelExchange.CutException();
    };
  }

  /** Writes a little text again and again, for ever or until the client hangs up. */
  static ModelBehaviour drip(Duration gap, CountDownLatch hungUp) {
    return exchange -> {
      List<String> events =
          exchange.dialect().events(ModelReply.text("drop "), exchange.request().model());
      // All but the end of the text, whichever the vendor.
      int text = exchange.request().isAnthropic() ? 2 : 1;
      try {
        OutputStream out = exchange.openStream();
        for (int i = 0; i < text; i++) {
          ModelExchange.write(out, events.get(i));
        }
        while (true) {
          ModelExchange.write(out, events.get(text));
          Thread.sleep(gap);
        }
      } finally {
        hungUp.countDown();
      }
    };
  }

  /** HTTP 200, the first events of the answer, then an error event. */
  static ModelBehaviour errorInStream(int events, String type, String message) {
    return exchange -> {
      List<String> all =
          exchange.dialect().events(ModelReply.text("almost"), exchange.request().model());
      try (OutputStream out = exchange.openStream()) {
        for (String event : all.subList(0, events)) {
          ModelExchange.write(out, event);
        }
        ModelExchange.write(out, exchange.dialect().errorEvent(type, message));
      }
    };
  }

  /** An answer of that many characters. */
  static ModelBehaviour huge(int characters) {
    return answer("x".repeat(characters));
  }
}
