package dev.holdfast.web;

import dev.holdfast.failure.Category;
import dev.holdfast.queue.read.TicketFilter;
import dev.holdfast.retry.DurationText;
import dev.holdfast.ticket.InvalidInputException;
import dev.holdfast.ticket.TicketState;
import io.javalin.http.Context;
import io.javalin.http.Handler;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads what is in a request, and reports what is wrong with it. */
final class Requests {
  private static final int LONGEST_FILTER = 200;
  private static final int USUAL_LIMIT = 50;
  private static final int HIGHEST_LIMIT = 500;

  /** The query of {@code GET /api/v1/tickets}. */
  static final Set<String> FILTERS =
      Set.of(
          "state",
          "queue",
          "kind",
          "design",
          "category",
          "fingerprint",
          "text",
          "assignee",
          "batch",
          "created_from",
          "created_before",
          "before",
          "limit");

  private Requests() {}

  /** Returns the ticket in the path. */
  static long id(Context context) {
    return id(context.pathParam("id"));
  }

  static long id(String text) {
    return Long.parseLong(number("a ticket's id", text));
  }

  /** Returns the number of an attempt, from 1. */
  static int attempt(Context context) {
    String text = context.pathParam("attempt");
    if (!text.matches("[1-9][0-9]{0,8}")) {
      throw Refused.badRequest("an attempt's number is a whole number from 1 of at most 9 digits");
    }
    return Integer.parseInt(text);
  }

  /**
   * Returns digits that fit a long. Long.parseLong also takes a sign and the digits of other
   * scripts.
   */
  private static String number(String what, String text) {
    if (!text.matches("[0-9]{1,18}")) {
      throw Refused.badRequest(what + " is a whole number of at most 18 digits");
    }
    return text;
  }

  /** Reads the body of a write; an empty one is an empty object. */
  static <T> T body(Context context, Class<T> type) {
    byte[] body = context.bodyAsBytes();
    if (body.length == 0) {
      return Bodies.read(new byte[] {'{', '}'}, type);
    }
    String encoding = context.header("Content-Encoding");
    if (encoding != null && !encoding.equalsIgnoreCase("identity")) {
      throw new Refused(415, "send the body as it is, without Content-Encoding");
    }
    String mediaType = context.contentType();
    boolean json =
        mediaType != null
            && mediaType.strip().toLowerCase(Locale.ROOT).matches("application/json\\s*(;.*)?");
    if (!json) {
      throw new Refused(415, "send the body as Content-Type: application/json");
    }
    return Bodies.read(body, type);
  }

  /** Refuses unknown parameters: a misspelt filter would silently widen the result. */
  static void requireKnown(Context context, Set<String> known) {
    context
        .queryParamMap()
        .forEach(
            (name, values) -> {
              if (!known.contains(name)) {
                throw Refused.badRequest(
                    "there is no parameter \"" + cut(name) + "\"" + butThese(known));
              }
              if (values.size() > 1) {
                throw Refused.badRequest(name + ": more than once; only one of them would count");
              }
            });
  }

  private static String butThese(Set<String> known) {
    return known.isEmpty()
        ? " here, nor any other"
        : "; there are: " + String.join(", ", known.stream().sorted().toList());
  }

  /**
   * Makes a route without parameters. One that is given is refused, because it would be ignored.
   */
  static Handler plain(Handler route) {
    return context -> {
      requireKnown(context, Set.of());
      route.handle(context);
    };
  }

  static TicketFilter filter(Context context) {
    requireKnown(context, FILTERS);
    String batch = text(context, "batch");
    String before = text(context, "before");
    return new TicketFilter(
        state(text(context, "state")),
        text(context, "queue"),
        text(context, "kind"),
        text(context, "design"),
        wireName(category(text(context, "category"))),
        chosen(text(context, "fingerprint")),
        text(context, "text"),
        time("created_from", text(context, "created_from")),
        time("created_before", text(context, "created_before")),
        text(context, "assignee"),
        batch == null ? null : Long.valueOf(number("batch", batch)),
        before == null ? null : Long.valueOf(number("before", before)),
        limit(text(context, "limit")));
  }

  private static @Nullable String chosen(@Nullable String fingerprint) {
    try {
      return TicketFilter.fingerprint(fingerprint);
    } catch (InvalidInputException e) {
      throw Refused.badRequest("fingerprint: " + e.getMessage());
    }
  }

  /**
   * Returns the text; null where it is left out. A blank one is refused: a script that lost a value
   * would get all.
   */
  static @Nullable String text(Context context, String name) {
    String value = context.queryParam(name);
    if (value == null) {
      return null;
    }
    if (value.isBlank()) {
      throw Refused.badRequest(name + ": it is empty; leave it out");
    }
    if (value.length() > LONGEST_FILTER || value.indexOf('\0') >= 0) {
      throw Refused.badRequest(
          name + ": at most " + LONGEST_FILTER + " characters, none of them NUL");
    }
    return value;
  }

  static int limit(@Nullable String text) {
    if (text == null) {
      return USUAL_LIMIT;
    }
    if (text.matches("[0-9]{1,4}")) {
      int limit = Integer.parseInt(text);
      if (limit >= 1 && limit <= HIGHEST_LIMIT) {
        return limit;
      }
    }
    throw Refused.badRequest("limit: a whole number from 1 to " + HIGHEST_LIMIT);
  }

  private static @Nullable TicketState state(@Nullable String name) {
    return name == null
        ? null
        : TicketState.ofWireName(name)
            .orElseThrow(
                () ->
                    Refused.badRequest(
                        "state: one of " + words(TicketState.values(), TicketState::wireName)));
  }

  static @Nullable Category category(@Nullable String name) {
    return name == null
        ? null
        : Category.ofWireName(name)
            .orElseThrow(
                () ->
                    Refused.badRequest(
                        "category: one of " + words(Category.values(), Category::wireName)));
  }

  /** Checks the fingerprint of a body. The code that chooses by it checks its length. */
  static @Nullable String fingerprint(@Nullable String text) {
    if (text != null && text.indexOf('\0') >= 0) {
      throw new Refused(422, "fingerprint: none of its characters is NUL");
    }
    return text;
  }

  private static @Nullable String wireName(@Nullable Category category) {
    return category == null ? null : category.wireName();
  }

  private static <T> String words(T[] values, java.util.function.Function<T, String> word) {
    return Arrays.stream(values).map(word).collect(Collectors.joining(", "));
  }

  static @Nullable Instant time(String name, @Nullable String text) {
    try {
      return text == null ? null : OffsetDateTime.parse(text.replace(' ', '+')).toInstant();
    } catch (DateTimeException e) {
      throw Refused.badRequest(name + ": a time such as 2026-11-21T12:00:00Z");
    }
  }

  /** Reads a duration of a body. */
  static @Nullable Duration duration(String name, @Nullable String text) {
    try {
      return text == null ? null : DurationText.parse(text);
    } catch (IllegalArgumentException e) {
      throw new Refused(422, name + ": " + e.getMessage());
    }
  }

  private static String cut(String text) {
    return text.substring(0, Math.min(text.length(), 50));
  }
}
