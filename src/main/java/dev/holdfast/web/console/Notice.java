package dev.holdfast.web.console;

import dev.holdfast.queue.view.ReleasedTickets;
import java.util.ArrayList;
import java.util.List;

/**
 * The result of an action, in words.
 *
 * @param isGood whether all of it was done
 * @param details a line for each ticket with which it was not
 * @param undo released tickets that may still be taken back
 */
public record Notice(boolean isGood, String text, List<String> details, List<Long> undo) {
  public Notice {
    details = List.copyOf(details);
    undo = List.copyOf(undo);
  }

  static Notice good(String text) {
    return new Notice(true, text, List.of(), List.of());
  }

  static Notice bad(String text) {
    return new Notice(false, text, List.of(), List.of());
  }

  /** The same for what has become of the released tickets meanwhile. */
  Notice since(ReleasedTickets released) {
    List<String> told = new ArrayList<>(details);
    if (released.heldAgain() > 0) {
      told.addFirst(
          released.heldAgain() == undo.size()
              ? (undo.size() == 1 ? "It is" : "All of them are") + " on hold again."
              : released.heldAgain()
                  + (released.heldAgain() == 1 ? " of them is" : " of them are")
                  + " on hold again.");
    }
    return new Notice(isGood && released.heldAgain() == 0, text, told, released.waiting());
  }

  /** The tickets for the undo form's field. */
  public String undoIds() {
    return String.join(",", undo.stream().map(String::valueOf).toList());
  }
}
