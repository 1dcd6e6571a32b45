package dev.holdfast.web.console;

import dev.holdfast.queue.view.ReleasedTickets;
import dev.holdfast.web.Visitor;
import dev.holdfast.web.console.view.ReleaseNews;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The result of an action, in words.
 *
 * @param isGood whether all of it was done
 * @param details a line for each ticket with which it was not
 * @param release the key of a release that it is about; null for every other action
 * @param now the present state of its tickets; null where nobody has looked
 */
public record Notice(
    boolean isGood,
    String text,
    List<String> details,
    @Nullable String release,
    @Nullable ReleasedTickets now) {
  public Notice {
    details = List.copyOf(details);
  }

  static Notice good(String text) {
    return of(true, text, List.of(), null);
  }

  static Notice bad(String text) {
    return of(false, text, List.of(), null);
  }

  static Notice of(boolean isGood, String text, List<String> details, @Nullable String release) {
    return new Notice(isGood, text, details, release, null);
  }

  /** Returns the same with the present state of the released tickets. */
  Notice with(ReleasedTickets news) {
    return new Notice(isGood, text, details, release, news);
  }

  /** Returns the words of a page about the released tickets, for as long as it is open. */
  public ReleaseNews news(Visitor visitor, String back) {
    String token = visitor.mayAct() ? visitor.csrfToken() : null;
    return new ReleaseNews(
        token,
        back,
        Objects.requireNonNull(release, "no release"),
        Objects.requireNonNull(now, "nobody has looked"));
  }

  /** Returns false also where a released ticket is on hold again. */
  public boolean isWell() {
    return isGood && (now == null || now.heldAgain() == 0);
  }
}
