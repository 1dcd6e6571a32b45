package dev.holdfast.web.console;

import dev.holdfast.failure.Sha256;
import dev.holdfast.queue.NewTicket;
import dev.holdfast.queue.TicketInbox.RequestKey;
import dev.holdfast.queue.read.TicketRow;
import dev.holdfast.queue.view.ConsoleReader;
import dev.holdfast.ticket.InvalidInputException;
import dev.holdfast.ticket.NotFoundException;
import dev.holdfast.web.Routes;
import dev.holdfast.web.Visitor;
import dev.holdfast.web.WebPorts;
import dev.holdfast.web.access.Digests;
import dev.holdfast.web.access.Role;
import dev.holdfast.web.console.EnqueuePage.Draft;
import dev.holdfast.web.console.view.Links;
import dev.holdfast.web.console.view.ResultView;
import io.javalin.http.Context;
import io.javalin.http.HttpStatus;
import io.javalin.router.JavalinDefaultRoutingApi;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Handles the form for a new ticket, which may be a copy of an earlier one. */
record EnqueueForms(WebPorts ports, ConsoleReader reader, Shell shell) implements Routes {
  private static final Draft EMPTY = new Draft("", "", "", "default", "0", "{}");

  @Override
  public void addTo(JavalinDefaultRoutingApi routes) {
    routes.get("/enqueue", this::form, Role.OPERATOR);
    routes.post("/enqueue", this::enqueue, Role.OPERATOR);
  }

  private void form(Context context) {
    Optional<TicketRow> again = ticket(context.queryParam("again"));
    Draft draft = again.map(EnqueueForms::like).orElse(EMPTY);
    show(context, draft, again.map(TicketRow::id).orElse(null), null, UUID.randomUUID().toString());
  }

  private Optional<TicketRow> ticket(@Nullable String id) {
    return id != null && id.matches("[0-9]{1,18}")
        ? ports.tickets().find(Long.parseLong(id))
        : Optional.empty();
  }

  /**
   * Makes a draft for the latest version of its design. It has no unique key, because the ticket
   * still has that.
   */
  private static Draft like(TicketRow ticket) {
    String design = Objects.requireNonNullElse(ticket.design(), "");
    return new Draft(
        design,
        design.isEmpty() ? ticket.kind() : "",
        Objects.requireNonNullElse(ticket.title(), ""),
        ticket.queue(),
        String.valueOf(ticket.priority()),
        payload(ticket));
  }

  /** Returns the payload. Added blanks would make a long one too long to be sent. */
  private static String payload(TicketRow ticket) {
    String payload = ticket.payload();
    return ResultView.isShownWhole(payload) ? ResultView.indented(payload) : payload;
  }

  private void show(
      Context context, Draft draft, @Nullable Long again, @Nullable String problem, String once) {
    Page page = shell.page(context, again == null ? "Enqueue" : "Run again", Section.TICKETS);
    context.status(problem == null ? 200 : 422);
    shell.show(
        context,
        "enqueue",
        new EnqueuePage(page, draft, again, problem, once, reader.designs(), reader.queueNames()));
  }

  private void enqueue(Context context) {
    Draft draft =
        new Draft(
            field(context, "design"),
            field(context, "kind"),
            field(context, "title"),
            field(context, "queue"),
            field(context, "priority"),
            field(context, "payload"));
    String once = field(context, "once");
    String actor = Visitor.of(context).actor();
    try {
      long id = ports.inbox().accept(ticket(draft), actor, key(once, draft, actor)).ticketId();
      NoticeCookie.put(context, Notice.good("Enqueued #" + id + "."));
      context.redirect(Links.ticket(id), HttpStatus.SEE_OTHER);
    } catch (InvalidInputException | NotFoundException e) {
      // Another try is another request.
      String next = UUID.randomUUID().toString();
      @Nullable Long again = ticket(context.formParam("again")).map(TicketRow::id).orElse(null);
      show(context, draft, again, TicketForms.sentence(e), next);
    }
  }

  private static String field(Context context, String name) {
    String given = context.formParam(name);
    return given == null ? "" : given.replace("\0", "").strip();
  }

  private static @Nullable RequestKey key(String once, Draft draft, String actor) {
    return once.isEmpty()
        ? null
        : new RequestKey(hash("enqueue form of " + actor + ": " + once), hash(draft.toString()));
  }

  static String hash(String text) {
    return Digests.base64url(Sha256.of(text));
  }

  private static NewTicket ticket(Draft draft) {
    if (draft.design().isEmpty() && draft.kind().isEmpty()) {
      throw new InvalidInputException("say a design, or a kind for a ticket without one");
    }
    NewTicket ticket =
        draft.design().isEmpty()
            ? NewTicket.ofKind(draft.kind())
            : NewTicket.ofDesign(draft.design());
    return ticket
        .withTitle(draft.title().isEmpty() ? null : draft.title())
        .withQueue(draft.queue().isEmpty() ? "default" : draft.queue())
        .withPriority(priority(draft.priority()))
        .withPayload(draft.payload().isEmpty() ? "{}" : draft.payload());
  }

  private static int priority(String text) {
    try {
      return text.isEmpty() ? 0 : Integer.parseInt(text);
    } catch (NumberFormatException e) {
      throw new InvalidInputException("priority: a whole number, as 0 or 10");
    }
  }
}
