package dev.holdfast.web.console.view;

import dev.holdfast.queue.view.ReleasedTickets;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The part of a notice that changes while its page is open: what has become of the tickets that a
 * release let go, and the undo of those that no worker has claimed.
 *
 * @param token of the undo's form; null where the visitor may not act
 * @param back the page to go back to after the undo
 */
public record ReleaseNews(
    @Nullable String token, String back, List<Long> released, ReleasedTickets now) {
  /** Of how many tickets a page asks for news; the address has to be read by every server. */
  public static final int MOST = 100;

  public ReleaseNews {
    released = List.copyOf(released);
  }

  /** Empty where none of them is on hold again. */
  public String heldAgain() {
    long again = now.heldAgain();
    if (again == 0) {
      return "";
    }
    String some =
        again < released.size()
            ? again + (again == 1 ? " of them is" : " of them are")
            : again == 1 ? "It is" : "All of them are";
    return some + " on hold again.";
  }

  public boolean offersUndo() {
    return !now.waiting().isEmpty() && token != null;
  }

  /** The tickets for the undo form's field. */
  public String undoIds() {
    return joined(now.waiting());
  }

  /** Where the page asks for news of it; null where there are too many tickets. */
  public @Nullable String address() {
    return released.size() > MOST
        ? null
        : Links.with("/released", "ids", joined(released), "back", back);
  }

  private static String joined(List<Long> ids) {
    return ids.stream().map(String::valueOf).collect(Collectors.joining(","));
  }
}
