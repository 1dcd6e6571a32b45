package dev.holdfast.web.console.view;

import dev.holdfast.failure.Category;
import dev.holdfast.queue.read.TicketFilter;
import dev.holdfast.ticket.TicketState;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The filter in an address, and the parts of it that could not be understood.
 *
 * @param problems what is wrong with it, in words; those parts do not filter
 */
public record Filters(TicketFilter query, List<String> problems) {
  public static final int PAGE = 50;
  private static final int LONGEST = 200;

  public Filters {
    problems = List.copyOf(problems);
  }

  /** Returns the address of the same filter on the next page. */
  public String next(String path, long before) {
    return address(path, before);
  }

  /**
   * Returns the address of the same filter in another state, from its newest tickets on; null is
   * all states.
   */
  public String inState(String path, @Nullable TicketState state) {
    return new Filters(query.withState(state), problems).address(path, null);
  }

  private String address(String path, @Nullable Long before) {
    Map<String, String> all = parameters();
    if (before != null) {
      all.put("before", before.toString());
    }
    return Links.with(
        path, all.entrySet().stream().flatMap(e -> Stream.of(e.getKey(), e.getValue())).toArray());
  }

  /**
   * Returns all that filters, by name, for an address or a form. If one were missing, an action
   * would include more tickets.
   */
  public Map<String, String> parameters() {
    Map<String, String> all = new LinkedHashMap<>();
    put(all, "state", query.state() == null ? null : query.state().wireName());
    put(all, "queue", query.queue());
    put(all, "kind", query.kind());
    put(all, "design", query.design());
    put(all, "category", query.category());
    put(all, "fingerprint", query.fingerprint());
    put(all, "q", query.text());
    put(all, "assignee", query.assignee());
    put(all, "batch", query.batchId());
    put(all, "from", day(query.createdFrom(), 0));
    put(all, "to", day(query.createdBefore(), 1));
    return all;
  }

  private static void put(Map<String, String> all, String name, @Nullable Object value) {
    if (value != null) {
      all.put(name, value.toString());
    }
  }

  /** Returns the first day, as the date field has it; "" for none. */
  public String from() {
    return Objects.requireNonNullElse(day(query.createdFrom(), 0), "");
  }

  /** Returns the last day; "" for none. */
  public String to() {
    return Objects.requireNonNullElse(day(query.createdBefore(), 1), "");
  }

  private static @Nullable String day(@Nullable Instant time, int less) {
    return time == null
        ? null
        : time.atOffset(ZoneOffset.UTC).toLocalDate().minusDays(less).toString();
  }

  /**
   * Reads the filter.
   *
   * @param parameter the value of a name in the address; null where it is missing
   */
  public static Filters of(Function<String, @Nullable String> parameter) {
    List<String> problems = new ArrayList<>();
    String state = text(parameter.apply("state"));
    Optional<TicketState> known = state == null ? Optional.empty() : TicketState.ofWireName(state);
    if (state != null && known.isEmpty()) {
      problems.add("there is no state \"" + Format.cut(state, 40) + "\"");
    }
    TicketFilter query =
        new TicketFilter(
            known.orElse(null),
            text(parameter.apply("queue")),
            text(parameter.apply("kind")),
            text(parameter.apply("design")),
            category(text(parameter.apply("category")), problems),
            text(parameter.apply("fingerprint")),
            text(parameter.apply("q")),
            day(text(parameter.apply("from")), 0, problems),
            day(text(parameter.apply("to")), 1, problems),
            text(parameter.apply("assignee")),
            number(text(parameter.apply("batch")), problems),
            number(text(parameter.apply("before")), problems),
            PAGE);
    return new Filters(query, problems);
  }

  private static @Nullable String category(@Nullable String text, List<String> problems) {
    if (text != null && Category.ofWireName(text).isEmpty()) {
      problems.add("there is no category \"" + Format.cut(text, 40) + "\"");
      return null;
    }
    return text;
  }

  /** Returns the text without NUL: PostgreSQL does not store it, so it finds none. */
  public static @Nullable String text(@Nullable String given) {
    String text = given == null ? "" : given.replace("\0", "").strip();
    return text.isEmpty() ? null : Format.cut(text, LONGEST);
  }

  private static @Nullable Instant day(@Nullable String text, int more, List<String> problems) {
    if (text == null) {
      return null;
    }
    try {
      LocalDate date = LocalDate.parse(text);
      if (date.getYear() >= 1970 && date.getYear() < 10_000) {
        return date.plusDays(more).atStartOfDay(ZoneOffset.UTC).toInstant();
      }
    } catch (DateTimeException e) {
      // It is reported below.
    }
    problems.add("\"" + Format.cut(text, 40) + "\" is no date like 2026-11-30");
    return null;
  }

  private static @Nullable Long number(@Nullable String text, List<String> problems) {
    if (text == null) {
      return null;
    }
    try {
      return Long.valueOf(text);
    } catch (NumberFormatException e) {
      problems.add("\"" + Format.cut(text, 40) + "\" is no ticket's number");
      return null;
    }
  }
}
