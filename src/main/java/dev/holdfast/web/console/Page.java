package dev.holdfast.web.console;

import dev.holdfast.retry.DurationText;
import dev.holdfast.web.Visitor;
import dev.holdfast.web.console.view.Format;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The parts of every page.
 *
 * @param section the menu entry it belongs to; null for none
 * @param held how many tickets wait for a person
 * @param reviews how many results wait for a person, counted to {@value #MOST_REVIEWS}
 * @param outages the providers that do not answer, in words
 * @param now the database's clock
 * @param url path and query of the page itself
 * @param notice the result of the last action
 * @param assets where the static files of this version are
 */
public record Page(
    String title,
    @Nullable Section section,
    Visitor visitor,
    long held,
    long reviews,
    List<String> outages,
    Instant now,
    String url,
    @Nullable Notice notice,
    String assets) {

  static final int MOST_REVIEWS = 100;

  /** Returns the number for the menu. */
  public String reviewBadge() {
    return reviews < MOST_REVIEWS ? Format.number(reviews) : MOST_REVIEWS - 1 + "+";
  }

  /** Returns a key for a form that is done once, however often it is sent. */
  public String once() {
    return UUID.randomUUID().toString();
  }

  /** Returns a time as "3m ago" or "in 2h". */
  public String ago(@Nullable Instant time) {
    return DurationText.ago(time, now);
  }
}
