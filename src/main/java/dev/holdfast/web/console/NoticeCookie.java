package dev.holdfast.web.console;

import dev.holdfast.web.access.Entrance;
import dev.holdfast.web.console.view.Format;
import io.javalin.http.Context;
import io.javalin.http.Cookie;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Carries the notice of an action over the redirect to the page that shows it, once. The server
 * keeps nothing, so any console on the database may show that page. A visitor who forges a cookie
 * deceives only themselves: its text is escaped like all other text.
 */
final class NoticeCookie {
  private static final String NAME = "holdfast_notice";
  private static final int SECONDS = 60;

  /** The most lines of details. The last one may say how many more there are. */
  static final int MOST_DETAILS = 9;

  private static final int LONGEST_TEXT = 400;
  private static final int LONGEST_DETAIL = 160;
  private static final JsonMapper MAPPER = JsonMapper.builder().build();

  private NoticeCookie() {}

  static void put(Context context, Notice notice) {
    Notice small =
        Notice.of(
            notice.isGood(),
            Format.cut(notice.text(), LONGEST_TEXT),
            notice.details().stream()
                .limit(MOST_DETAILS)
                .map(detail -> Format.cut(detail, LONGEST_DETAIL))
                .toList(),
            notice.release());
    String json = MAPPER.writeValueAsString(small);
    context.cookie(
        cookie(
            context,
            Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(json.getBytes(StandardCharsets.UTF_8)),
            SECONDS));
  }

  /** Takes the notice away; returns null where there is none that can be read. */
  static @Nullable Notice take(Context context) {
    String value = context.cookie(NAME);
    if (value == null || value.isEmpty()) {
      return null;
    }
    context.cookie(cookie(context, "", 0));
    try {
      return MAPPER.readValue(Base64.getUrlDecoder().decode(value), Notice.class);
    } catch (JacksonException | IllegalArgumentException | NullPointerException e) {
      return null;
    }
  }

  private static Cookie cookie(Context context, String value, int seconds) {
    return Entrance.cookie(context, NAME, value, "/", seconds);
  }
}
