package dev.holdfast.web.console;

import dev.holdfast.queue.read.CurrentWait;
import dev.holdfast.queue.read.EqualAttempts;
import dev.holdfast.queue.read.EventLine;
import dev.holdfast.queue.read.TicketFilter;
import dev.holdfast.queue.read.TicketHistory;
import dev.holdfast.queue.read.TicketReader;
import dev.holdfast.queue.read.TicketRow;
import dev.holdfast.queue.read.TicketSummary;
import dev.holdfast.queue.read.TicketWindow;
import dev.holdfast.queue.read.ToolCallRow;
import dev.holdfast.queue.view.ConsoleReader;
import dev.holdfast.queue.view.DesignReviews;
import dev.holdfast.schema.Question;
import dev.holdfast.ticket.TicketState;
import dev.holdfast.web.Routes;
import dev.holdfast.web.WebPorts;
import dev.holdfast.web.access.Role;
import dev.holdfast.web.console.view.ErrorView;
import dev.holdfast.web.console.view.Filters;
import dev.holdfast.web.console.view.Links;
import dev.holdfast.web.console.view.QuestionForm;
import dev.holdfast.web.console.view.ResultView;
import dev.holdfast.web.console.view.SqlText;
import dev.holdfast.web.console.view.StateSentence;
import dev.holdfast.web.console.view.StepGraph;
import dev.holdfast.web.console.view.TimelineLine;
import dev.holdfast.web.console.view.TranscriptView;
import io.javalin.http.Context;
import io.javalin.http.HttpStatus;
import io.javalin.router.JavalinDefaultRoutingApi;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Lists of tickets, and one ticket with all that is known of it. */
record TicketPageRoutes(WebPorts ports, ConsoleReader reader, Shell shell) implements Routes {
  private static final int RESULTS = 10;

  @Override
  public void addTo(JavalinDefaultRoutingApi routes) {
    routes.get("/tickets", this::tickets, Role.VIEWER);
    routes.get("/tickets/{id}", this::ticket, Role.VIEWER);
    routes.get("/review", this::review, Role.VIEWER);
    routes.get("/search", this::search, Role.VIEWER);
  }

  private void tickets(Context context) {
    Filters filters = Filters.of(context::queryParam);
    list(context, "Tickets", filters);
  }

  private void list(Context context, String title, Filters filters) {
    TicketWindow tickets = ports.tickets().window(filters.query());
    Page page = shell.page(context, title, Section.TICKETS);
    context.status(filters.problems().isEmpty() ? 200 : 400);
    shell.show(
        context,
        "tickets",
        new TicketsPage(
            page,
            "/tickets",
            filters,
            tickets,
            reader.queueNames(),
            reader.stateCounts(),
            SqlText.tickets(filters.query())));
  }

  /** Searches. A number leads to its ticket; other words are searched in titles and keys. */
  private void search(Context context) {
    String text = Filters.text(context.queryParam("q"));
    Optional<Long> id = text == null ? Optional.empty() : number(text);
    if (id.isPresent() && ports.tickets().find(id.get()).isPresent()) {
      context.redirect(Links.ticket(id.get()), HttpStatus.SEE_OTHER);
      return;
    }
    TicketFilter query =
        text == null
            ? TicketFilter.all(Filters.PAGE)
            : TicketFilter.all(Filters.PAGE).withText(text);
    list(context, "Search", new Filters(query, List.of()));
  }

  private static Optional<Long> number(String text) {
    String digits = text.startsWith("#") ? text.substring(1) : text;
    return digits.matches("[0-9]{1,18}") ? Optional.of(Long.valueOf(digits)) : Optional.empty();
  }

  private void review(Context context) {
    Filters filters =
        Filters.of(name -> name.equals("before") ? context.queryParam("before") : null);
    String design = Filters.text(context.queryParam("design"));
    TicketFilter query = new ReviewedTickets(design).onPage(filters.query().beforeId(), RESULTS);
    TicketWindow tickets = ports.tickets().window(query);
    List<ReviewPage.Item> items =
        tickets.tickets().stream().flatMap(line -> item(line).stream()).toList();
    Page page = shell.page(context, "Review", Section.REVIEW);
    String next =
        tickets.next() == null
            ? null
            : Links.with("/review", "design", design, "before", tickets.next());
    List<DesignReviews> designs = reader.reviewsByDesign();
    shell.show(
        context,
        "review",
        new ReviewPage(page, designs, design, items, filters.query().beforeId(), next));
  }

  /** Reads a result. Only one whole ticket at a time is in memory. */
  private Optional<ReviewPage.Item> item(TicketSummary line) {
    return ports
        .tickets()
        .find(line.id())
        .filter(ticket -> ticket.state().equals(TicketState.NEEDS_REVIEW.wireName()))
        .map(ticket -> new ReviewPage.Item(line, ResultView.of(ticket.result())));
  }

  private void ticket(Context context) {
    Optional<TicketRow> ticket =
        number(context.pathParam("id")).flatMap(id -> ports.tickets().find(id));
    if (ticket.isEmpty()) {
      Page page = shell.page(context, "No such ticket", Section.TICKETS);
      shell.message(context, 404, page, "There is no ticket with this number, or no longer.");
      return;
    }
    shell.show(context, "ticket", page(context, ticket.get()));
  }

  private TicketPage page(Context context, TicketRow ticket) {
    long id = ticket.id();
    TicketReader tickets = ports.tickets();
    Page page = shell.page(context, "#" + id, Section.TICKETS);
    @Nullable CurrentWait wait = tickets.currentWait(id).orElse(null);
    TicketHistory history = tickets.history(id);
    return new TicketPage(
        page,
        ticket,
        tickets
            .predecessors(id)
            .map(StateSentence::waitsFor)
            .orElseGet(() -> StateSentence.of(ticket, wait, tickets.liveWorkers(), page.now())),
        wait,
        ErrorView.of(ticket.errorTitle(), ticket.error()),
        ResultView.of(ticket.result()),
        EqualAttempts.of(history.attempts().rows()).reversed().stream()
            .map(TicketPage.Attempt::of)
            .toList(),
        history,
        history.timeline().rows().reversed().stream()
            .filter(entry -> !EventLine.isToldByDecision(entry))
            .map(TimelineLine::of)
            .toList(),
        TranscriptView.of(ports.journals().total(id), ports.journals().newest(id)),
        tickets.output(id, attempt(context)).orElse(null),
        ResultView.shown(ticket.payload()),
        tickets.assignee(id).orElse(null),
        history.toolCalls().rows().stream().filter(ToolCallRow::waits).toList(),
        question(ticket),
        tickets.autoRetry(id).orElse(null),
        SqlText.ticket(id),
        ticket.kind().equals("workflow") ? StepGraph.of(tickets.steps(id)) : null,
        ports.designs().newerFor(ticket).orElse(null));
  }

  /**
   * Returns the question, but only for a row that was held when it was read: an answer is for the
   * version that was seen.
   */
  private @Nullable QuestionForm question(TicketRow ticket) {
    return ticket.state().equals(TicketState.ON_HOLD.wireName())
        ? ports
            .tickets()
            .question(ticket.id())
            .map(Question::parse)
            .map(QuestionForm::of)
            .orElse(null)
        : null;
  }

  /** Returns the attempt whose output is asked for; null for the newest. */
  private static @Nullable Integer attempt(Context context) {
    String text = context.queryParam("attempt");
    return text == null || !text.matches("[1-9][0-9]{0,8}") ? null : Integer.valueOf(text);
  }
}
