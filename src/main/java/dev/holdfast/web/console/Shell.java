package dev.holdfast.web.console;

import dev.holdfast.queue.view.ConsoleReader;
import dev.holdfast.web.Visitor;
import io.javalin.http.Context;
import org.jspecify.annotations.Nullable;

/** What all pages share: the menu, the visitor, the last notice. Thread-safe. */
final class Shell {
  private final ConsoleReader reader;
  private final Templates templates;
  private final Assets assets;

  Shell(ConsoleReader reader, Templates templates, Assets assets) {
    this.reader = reader;
    this.templates = templates;
    this.assets = assets;
  }

  Page page(Context context, String title, @Nullable Section section) {
    String query = context.queryString();
    return new Page(
        title,
        section,
        Visitor.of(context),
        reader.heldCount(),
        reader.outages(),
        reader.now(),
        context.path() + (query == null ? "" : "?" + query),
        // A page that only updates itself leaves the notice to the one that shows it.
        context.header("HX-Request") == null ? NoticeCookie.take(context) : null,
        assets.path());
  }

  void show(Context context, String template, Object model) {
    context.html(templates.render(template, model));
  }

  void message(Context context, int status, Page page, String text) {
    context.status(status).html(templates.render("message", new MessagePage(page, text)));
  }
}
