package dev.holdfast.web;

import dev.holdfast.queue.NewTicket;
import dev.holdfast.queue.NewTicket.Following;
import dev.holdfast.queue.NewTicket.Following.OnCancelled;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * What a new ticket waits for: {@code [17, 18]}, {@code {"fetch": 17}} to be given results, in a
 * graph also {@code ["fetch", 17]}.
 *
 * @param names those of tickets of the same graph
 */
record After(List<Long> ids, List<String> names, Following following) {
  /** What the fields {@code after} and {@code on_cancelled} of a body say. */
  static After of(@Nullable JsonNode after, @Nullable String onCancelled) {
    List<Long> ids = new ArrayList<>();
    List<String> names = new ArrayList<>();
    Map<Long, String> results = new HashMap<>();
    if (after != null && after.isObject()) {
      after.forEachEntry(
          (name, id) -> {
            ids.add(id(id));
            results.put(id(id), name);
          });
    } else if (after != null && after.isArray()) {
      for (JsonNode each : after) {
        if (each.isString()) {
          names.add(each.stringValue());
        } else {
          ids.add(id(each));
        }
      }
    } else if (after != null && !after.isNull()) {
      throw refused();
    }
    return new After(ids, names, new Following(results, policy(onCancelled)));
  }

  private static long id(JsonNode node) {
    if (!node.isIntegralNumber() || !node.canConvertToLong()) {
      throw refused();
    }
    return node.asLong();
  }

  private static Refused refused() {
    return new Refused(
        422,
        "after: a list of ids, [17, 18], or ids by the names of their results, {\"fetch\": 17}");
  }

  private static OnCancelled policy(@Nullable String text) {
    if (text == null) {
      return OnCancelled.HOLD;
    }
    return Arrays.stream(OnCancelled.values())
        .filter(each -> each.wireName().equals(text))
        .findFirst()
        .orElseThrow(() -> new Refused(422, "on_cancelled: one of hold, cancel, run"));
  }

  /** For a ticket by itself, which can wait for no names. */
  NewTicket with(NewTicket ticket) {
    if (!names.isEmpty()) {
      throw refused();
    }
    return ticket.withAfter(ids).withFollowing(following);
  }
}
