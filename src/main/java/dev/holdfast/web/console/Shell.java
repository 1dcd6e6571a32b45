package dev.holdfast.web.console;

import dev.holdfast.queue.read.TicketReader;
import dev.holdfast.queue.view.ConsoleReader;
import dev.holdfast.web.Visitor;
import io.javalin.http.Context;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Renders pages in the frame that all share: the menu, the visitor, the last notice. Thread-safe.
 */
final class Shell {
  /**
   * How long a count of reviews is kept. It is shorter than a page waits after an event before it
   * asks again (250 ms, console.js). Otherwise the page would get the old number, and not ask
   * again.
   */
  private static final Duration REVIEWS_KEPT = Duration.ofMillis(200);

  /** A count, and when it was made. */
  private record Reviews(Instant at, long count) {}

  private final TicketReader tickets;
  private final ConsoleReader reader;
  private final Templates templates;
  private final Assets assets;
  private volatile @Nullable Reviews reviews;

  Shell(TicketReader tickets, ConsoleReader reader, Templates templates, Assets assets) {
    this.tickets = tickets;
    this.reader = reader;
    this.templates = templates;
    this.assets = assets;
  }

  Page page(Context context, String title, @Nullable Section section) {
    String query = context.queryString();
    Instant now = tickets.now();
    return new Page(
        title,
        section,
        Visitor.of(context),
        reader.heldCount(),
        reviews(now),
        reader.outages(),
        now,
        context.path() + (query == null ? "" : "?" + query),
        // A page that only updates itself leaves the notice to the page that shows it.
        context.header("HX-Request") == null ? notice(context) : null,
        assets.path());
  }

  private @Nullable Notice notice(Context context) {
    Notice told = NoticeCookie.take(context);
    return told == null ? null : asOfNow(told);
  }

  /**
   * Returns the notice as of now. A quick worker may have failed again with what was released a
   * moment ago.
   */
  Notice asOfNow(Notice notice) {
    String release = notice.release();
    return release == null ? notice : notice.with(reader.released(release));
  }

  /**
   * Returns the number of reviews. The count reads many tickets, so it is made once in a while for
   * all visitors.
   */
  private long reviews(Instant now) {
    Reviews known = reviews;
    if (known == null || Duration.between(known.at, now).abs().compareTo(REVIEWS_KEPT) >= 0) {
      known = new Reviews(now, reader.reviewCount(Page.MOST_REVIEWS));
      reviews = known;
    }
    return known.count;
  }

  void show(Context context, String template, Object model) {
    context.html(templates.render(template, model));
  }

  void message(Context context, int status, Page page, String text) {
    context.status(status).html(templates.render("message", new MessagePage(page, text)));
  }
}
