package dev.holdfast.web;

import dev.holdfast.queue.StaleViewException;
import dev.holdfast.queue.TicketDesk;
import dev.holdfast.queue.read.TicketReader;
import dev.holdfast.queue.read.TicketSummary;
import io.javalin.http.Context;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** {@code If-Match}: nobody acts on a ticket that has changed since they saw it. */
final class Seen {
  private static final String ANY = "*";

  private Seen() {}

  static String etag(String version) {
    return "\"" + version + "\"";
  }

  /**
   * Returns the desk for the version of the ticket that the request has seen; the desk itself where
   * it names none.
   *
   * @throws StaleViewException if what it has seen is no version at all
   */
  static TicketDesk desk(Context context, TicketDesk desk, TicketReader tickets, long id) {
    String header = context.header("If-Match");
    if (header == null || header.strip().equals(ANY)) {
      return desk;
    }
    List<String> versions = Arrays.stream(header.split(",", -1)).map(Seen::version).toList();
    if (versions.size() == 1) {
      return desk.onVersion(versions.getFirst());
    }
    Optional<String> now =
        tickets.summary(id).map(TicketSummary::version).filter(versions::contains);
    return desk.onVersion(now.orElse(versions.getFirst()));
  }

  private static String version(String tag) {
    String stripped = tag.strip();
    if (!stripped.matches("(W/)?\"[^\"]{0,100}\"")) {
      throw Refused.badRequest("If-Match: the ETag of the ticket, in quotes");
    }
    // A weak tag matches nothing, as RFC 9110 says.
    return stripped.startsWith("W/") ? stripped : stripped.substring(1, stripped.length() - 1);
  }
}
