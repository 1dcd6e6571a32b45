package dev.holdfast.web;

import dev.holdfast.queue.TicketInbox.RequestKey;
import io.javalin.http.Context;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Sends an answer. */
final class Answers {
  private Answers() {}

  static void json(Context context, int status, @Nullable Object body) {
    context.status(status).contentType("application/json").result(Bodies.json(body));
  }

  /**
   * Does what is asked for, and with an {@code Idempotency-Key} once: the same request is told the
   * same answer, however often it comes.
   *
   * @param ports those of the API
   * @param deed returns what is answered
   */
  static void once(Context context, WebPorts ports, int status, Function<WebPorts, Object> deed) {
    once(context, ports, status, deed, answer -> {});
  }

  /**
   * @param headers sets those that are made of the answer, also where it is told again
   */
  static void once(
      Context context,
      WebPorts ports,
      int status,
      Function<WebPorts, Object> deed,
      Consumer<String> headers) {
    RequestKey key = IdempotencyKey.of(context, context.path() + "\n" + context.body());
    if (key == null) {
      tell(context, status, Bodies.json(deed.apply(ports)), headers);
      return;
    }
    WebPorts.Once.Told told = ports.once().answer(key, one -> Bodies.json(deed.apply(one)));
    if (told.repeated()) {
      context.header("Idempotency-Replayed", "true");
    }
    tell(context, status, told.body(), headers);
  }

  /**
   * The address of what was made.
   *
   * @param list of its kind
   * @param field of the answer, with its id
   */
  static Consumer<String> location(Context context, String list, String field) {
    return answer ->
        context.header("Location", list + "/" + Bodies.tree(answer).get(field).asLong());
  }

  private static void tell(Context context, int status, String body, Consumer<String> headers) {
    headers.accept(body);
    context.status(status).contentType("application/json").result(body);
  }
}
