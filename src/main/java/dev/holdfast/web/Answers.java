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
   * Does what is asked for, and with an {@code Idempotency-Key} only once: the same request gets
   * the same answer, however often it comes.
   *
   * @param ports those of the API
   * @param deed does it and returns the answer
   */
  static void once(Context context, WebPorts ports, int status, Function<WebPorts, Object> deed) {
    once(context, ports, status, deed, answer -> {});
  }

  /**
   * @param headers sets the headers that depend on the answer, also where the answer is repeated
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
   * Returns what sets the address of the new thing.
   *
   * @param list the list of its kind
   * @param field the field of the answer that has its id
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
