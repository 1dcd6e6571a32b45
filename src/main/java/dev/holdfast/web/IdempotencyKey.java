package dev.holdfast.web;

import dev.holdfast.failure.Sha256;
import dev.holdfast.queue.TicketInbox.RequestKey;
import io.javalin.http.Context;
import org.jspecify.annotations.Nullable;

/** {@code Idempotency-Key}: the same request of one visitor under the same key counts once. */
final class IdempotencyKey {
  private static final int LONGEST = 200;

  private IdempotencyKey() {}

  /**
   * Returns the key; null where the request has none.
   *
   * @param request what must be the same: the body, with the address where that says what is done
   */
  static @Nullable RequestKey of(Context context, String request) {
    String key = context.header("Idempotency-Key");
    if (key == null) {
      return null;
    }
    if (key.isBlank() || key.length() > LONGEST) {
      throw Refused.badRequest("Idempotency-Key: 1 to " + LONGEST + " characters");
    }
    String owned = Visitor.of(context).actor() + "\n" + key;
    return new RequestKey(hex(owned), hex(request));
  }

  private static String hex(String text) {
    return Sha256.hex(text);
  }
}
