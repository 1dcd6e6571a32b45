package dev.holdfast.web.console;

import dev.holdfast.queue.read.TicketWindow;
import dev.holdfast.web.console.view.ErrorView;
import dev.holdfast.web.console.view.Format;
import dev.holdfast.web.console.view.Links;
import org.jspecify.annotations.Nullable;

/**
 * The held tickets with one error.
 *
 * @param tickets a page of them
 * @param total how many there are
 * @param error the whole error of the newest; null without one
 */
public record GroupPage(
    Page page,
    String fingerprint,
    String category,
    TicketWindow tickets,
    long total,
    @Nullable ErrorView error,
    String sql) {
  /**
   * Returns the text of the button; null without an error: the reasons differ, so a person must
   * select the tickets.
   */
  public @Nullable String releaseAll() {
    return fingerprint.isEmpty() ? null : "Release all " + Format.number(total);
  }

  public String next() {
    return Links.with(
        "/group", "fingerprint", fingerprint, "category", category, "before", tickets.next());
  }
}
