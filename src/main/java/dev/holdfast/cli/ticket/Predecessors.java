package dev.holdfast.cli.ticket;

import dev.holdfast.cli.output.UsageException;
import dev.holdfast.queue.NewTicket;
import dev.holdfast.queue.NewTicket.Following;
import dev.holdfast.queue.NewTicket.Following.OnCancelled;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the predecessors of a new ticket, as people write them. */
final class Predecessors {
  private Predecessors() {}

  /**
   * @param after ids, or {@code NAME=ID}
   */
  static NewTicket with(
      NewTicket ticket, @Nullable List<String> after, @Nullable String onCancelled) {
    if (after == null) {
      if (onCancelled != null) {
        throw new UsageException("--on-cancelled goes with --after");
      }
      return ticket;
    }
    List<Long> ids = new ArrayList<>();
    Map<Long, String> names = new HashMap<>();
    for (String each : after) {
      int equals = each.indexOf('=');
      long id = id(each, each.substring(equals + 1));
      ids.add(id);
      if (equals >= 0) {
        Following.name(names, id, each.substring(0, equals));
      }
    }
    return ticket.withAfter(ids).withFollowing(new Following(names, policy(onCancelled)));
  }

  private static long id(String whole, String text) {
    if (!text.matches("[0-9]{1,18}")) {
      throw new UsageException(
          "--after: \"" + whole + "\" is no ticket; give ids or NAME=ID, as in 17,fetch=18");
    }
    return Long.parseLong(text);
  }

  /** Returns the policy; the ticket is held where nothing is given. */
  static OnCancelled policy(@Nullable String text) {
    if (text == null) {
      return OnCancelled.HOLD;
    }
    return Arrays.stream(OnCancelled.values())
        .filter(each -> each.wireName().equals(text))
        .findFirst()
        .orElseThrow(
            () ->
                new UsageException(
                    "on_cancelled: \"" + text + "\" is none of hold, cancel and run"));
  }
}
