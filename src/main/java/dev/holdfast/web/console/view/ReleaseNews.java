package dev.holdfast.web.console.view;

import dev.holdfast.queue.view.ReleasedTickets;
import org.jspecify.annotations.Nullable;

/**
 * The part of a notice that changes while its page is open: the present state of the tickets that a
 * release let go, and the undo of those that no worker has claimed.
 *
 * @param token the token of the undo's form; null where the visitor may not act
 * @param back the page to go back to after the undo
 * @param release the key of the release
 */
public record ReleaseNews(
    @Nullable String token, String back, String release, ReleasedTickets now) {
  /** Says how many are on hold again; empty where none is. */
  public String heldAgain() {
    long again = now.heldAgain();
    if (again == 0) {
      return "";
    }
    String some =
        again < now.total()
            ? Format.number(again) + (again == 1 ? " of them is" : " of them are")
            : again == 1 ? "It is" : "All of them are";
    return some + " on hold again.";
  }

  public boolean offersUndo() {
    return now.waiting() > 0 && token != null;
  }

  /** Says which of them can be undone. */
  public String undoable() {
    return now.waiting() == now.total()
        ? "while no worker has claimed " + (now.total() == 1 ? "it" : "them")
        : "of the %s of %s that no worker has claimed"
            .formatted(Format.number(now.waiting()), Format.number(now.total()));
  }

  /** Returns the address at which the page asks for news of it. */
  public String address() {
    return Links.with("/released", "release", release, "back", back);
  }
}
