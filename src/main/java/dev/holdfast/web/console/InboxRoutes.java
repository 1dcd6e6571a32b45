package dev.holdfast.web.console;

import dev.holdfast.queue.read.TicketFilter;
import dev.holdfast.queue.read.TicketSummary;
import dev.holdfast.queue.read.TicketWindow;
import dev.holdfast.queue.view.ConsoleReader;
import dev.holdfast.queue.view.Inbox;
import dev.holdfast.queue.view.InboxQuery;
import dev.holdfast.ticket.TicketState;
import dev.holdfast.web.Routes;
import dev.holdfast.web.WebPorts;
import dev.holdfast.web.access.Role;
import dev.holdfast.web.console.view.ErrorView;
import dev.holdfast.web.console.view.Filters;
import dev.holdfast.web.console.view.SqlText;
import io.javalin.http.Context;
import io.javalin.router.JavalinDefaultRoutingApi;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The inbox and its groups. */
record InboxRoutes(WebPorts ports, ConsoleReader reader, Shell shell) implements Routes {
  private static final int LAST_PAGE = 1_000;

  @Override
  public void addTo(JavalinDefaultRoutingApi routes) {
    routes.get("/inbox", this::inbox, Role.VIEWER);
    routes.get("/group", this::group, Role.VIEWER);
  }

  private void inbox(Context context) {
    String queue = Filters.text(context.queryParam("queue"));
    String category = Filters.text(context.queryParam("category"));
    String assignee = Filters.text(context.queryParam("assignee"));
    int shown = pageNumber(context.queryParam("page"));
    Inbox inbox =
        reader.inbox(
            new InboxQuery(
                queue, category, assignee, (shown - 1) * InboxPage.GROUPS, InboxPage.GROUPS));
    Page page = shell.page(context, "Inbox", Section.INBOX);
    shell.show(context, "inbox", new InboxPage(page, inbox, shown, queue, category, assignee));
  }

  private static int pageNumber(@Nullable String text) {
    return text == null || !text.matches("[0-9]{1,4}")
        ? 1
        : Math.clamp(Integer.parseInt(text), 1, LAST_PAGE);
  }

  private void group(Context context) {
    String fingerprint = Objects.requireNonNullElse(context.queryParam("fingerprint"), "");
    String category = Objects.requireNonNullElse(context.queryParam("category"), "");
    Filters paged = Filters.of(name -> name.equals("before") ? context.queryParam("before") : null);
    TicketFilter query =
        TicketFilter.all(Filters.PAGE)
            .withState(TicketState.ON_HOLD)
            .withError(category.replace("\0", ""), fingerprint.replace("\0", ""))
            .withBeforeId(paged.query().beforeId());
    TicketWindow tickets = ports.tickets().window(query);
    Page page = shell.page(context, "Held tickets", Section.INBOX);
    shell.show(
        context,
        "group",
        new GroupPage(
            page,
            fingerprint,
            category,
            tickets,
            reader.groupSize(String.valueOf(query.fingerprint()), String.valueOf(query.category())),
            error(tickets),
            SqlText.group(fingerprint, category)));
  }

  /** Returns the whole error of the newest ticket. */
  private @Nullable ErrorView error(TicketWindow tickets) {
    return tickets.tickets().stream()
        .findFirst()
        .map(TicketSummary::id)
        .flatMap(ports.tickets()::find)
        .map(ticket -> ErrorView.of(ticket.errorTitle(), ticket.error()))
        .orElse(null);
  }
}
