package dev.holdfast.web.console;

import dev.holdfast.queue.TicketDesk;
import dev.holdfast.queue.TicketDesk.Conversation;
import dev.holdfast.queue.TicketDesk.Retries;
import dev.holdfast.queue.UndoneTickets;
import dev.holdfast.queue.UndoneTickets.Undone;
import dev.holdfast.queue.read.HeldTickets;
import dev.holdfast.queue.read.TicketFilter;
import dev.holdfast.queue.view.ConsoleReader;
import dev.holdfast.queue.view.DesignReviews;
import dev.holdfast.ticket.IllegalTransitionException;
import dev.holdfast.ticket.InvalidInputException;
import dev.holdfast.ticket.NotFoundException;
import dev.holdfast.ticket.TicketState;
import dev.holdfast.web.BulkActions;
import dev.holdfast.web.Refused;
import dev.holdfast.web.Routes;
import dev.holdfast.web.Visitor;
import dev.holdfast.web.WebPorts;
import dev.holdfast.web.access.Role;
import dev.holdfast.web.console.view.Filters;
import dev.holdfast.web.console.view.Links;
import io.javalin.http.Context;
import io.javalin.http.HttpStatus;
import io.javalin.router.JavalinDefaultRoutingApi;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Handles actions on many tickets, and shows their progress. */
record BulkForms(WebPorts ports, ConsoleReader reader, Shell shell, BulkRuns runs)
    implements Routes {
  /** How long an action may take before it is shown with its progress. */
  private static final Duration PATIENCE = Duration.ofMillis(1_500);

  private static final int LONGEST_KEY = 100;

  private static final BulkRun.Verb RELEASED = new BulkRun.Verb("Released", true, "");
  private static final BulkRun.Verb CANCELLED = new BulkRun.Verb("Cancelled");
  private static final BulkRun.Verb HELD = new BulkRun.Verb("Held");
  private static final BulkRun.Verb APPROVED = new BulkRun.Verb("Approved");
  private static final BulkRun.Verb ASSIGNED = new BulkRun.Verb("Assigned");
  private static final BulkRun.Verb TAKEN_BACK =
      new BulkRun.Verb("Took back", false, "left alone what had begun already or was changed");

  @Override
  public void addTo(JavalinDefaultRoutingApi routes) {
    routes.post("/held/act", this::act, Role.OPERATOR);
    routes.post("/undo", this::undo, Role.OPERATOR);
    routes.get("/released", this::released, Role.VIEWER);
    routes.get("/runs/{id}", this::show, Role.VIEWER);
    routes.post("/runs/{id}/stop", this::stop, Role.OPERATOR);
  }

  private void act(Context context) throws InterruptedException {
    String back = Links.back(context.formParam("back"), "/inbox");
    String actor = Visitor.of(context).actor();
    List<BulkRun.Item> selected = items(context.formParams("id"));
    String wanted = String.valueOf(context.formParam("do"));
    if (selected.isEmpty() && !wanted.endsWith("-all")) {
      tell(context, back, Notice.bad("Nothing was done: select tickets first."));
      return;
    }
    try {
      answer(
          context,
          switch (wanted) {
            case "release-all" -> releaseAll(context, back, actor);
            case "approve-all" -> approveAll(context, back, actor);
            default -> {
              String id = BulkActions.newId();
              Deed deed = deed(context, wanted, actor, id);
              BulkRun.Order order = new BulkRun.Order(id, deed.verb(), selected.size(), back);
              yield start(order, selected.iterator(), deed.change());
            }
          });
    } catch (InvalidInputException e) {
      tell(context, back, Notice.bad(TicketForms.sentence(e)));
    }
  }

  private static BulkRun.Order order(BulkRun.Verb verb, long total, String back) {
    return new BulkRun.Order(BulkActions.newId(), verb, total, back);
  }

  private BulkRun start(
      BulkRun.Order order, Iterator<BulkRun.Item> items, Consumer<BulkRun.Item> deed) {
    return runs.start(order, items, BulkRun.Item::id, deed);
  }

  /** What is done to the selected tickets, and its name. */
  private record Deed(BulkRun.Verb verb, Consumer<BulkRun.Item> change) {}

  private Deed deed(Context context, String wanted, String actor, String id) {
    TicketDesk desk = ports.desk().asOneOrder();
    return switch (wanted) {
      case "release" -> new Deed(RELEASED, release(context, desk, actor, id));
      case "cancel" ->
          new Deed(CANCELLED, item -> asSeen(desk, item).cancel(item.id(), actor, null));
      case "hold" ->
          new Deed(HELD, item -> asSeen(desk, item).hold(item.id(), actor, "held by " + actor));
      case "approve" -> new Deed(APPROVED, item -> asSeen(desk, item).approve(item.id(), actor));
      case "assign" -> {
        String person = TicketForms.words(context, "assignee");
        yield new Deed(ASSIGNED, item -> asSeen(desk, item).assign(item.id(), person, actor));
      }
      default -> throw new Refused(400, "there is no such action");
    };
  }

  private static Consumer<BulkRun.Item> release(
      Context context, TicketDesk desk, String actor, String key) {
    String guidance = TicketForms.words(context, "guidance");
    Retries retries = TicketForms.retries(context);
    Conversation conversation = TicketForms.conversation(context);
    TicketDesk releasing = desk.releasingAs(key);
    return item ->
        asSeen(releasing, item).release(item.id(), actor, guidance, retries, conversation);
  }

  private BulkRun releaseAll(Context context, String back, String actor) {
    TicketFilter query = query(context);
    Instant seen = seen(context);
    long total =
        query.fingerprint() != null && query.category() != null
            ? reader.groupSize(query.fingerprint(), query.category())
            : 0;
    BulkRun.Order order = order(RELEASED, total, back);
    return start(order, heldItems(query, seen), release(context, ports.desk(), actor, order.id()));
  }

  /** Approves the results of one design, as many as there were when the page was made. */
  private BulkRun approveAll(Context context, String back, String actor) {
    String design = Filters.text(context.formParam("design"));
    if (design == null) {
      throw new Refused(400, "the form does not say which design's results; load the page again");
    }
    long total =
        reader.reviewsByDesign().stream()
            .filter(each -> each.design().equals(design))
            .mapToLong(DesignReviews::tickets)
            .sum();
    Iterator<BulkRun.Item> all = new ReviewedTickets(design).all(ports.tickets(), seen(context));
    return start(
        order(APPROVED, total, back),
        all,
        item -> asSeen(ports.desk(), item).approve(item.id(), actor));
  }

  private Iterator<BulkRun.Item> heldItems(TicketFilter filter, Instant seen) {
    Iterator<Long> ids = new HeldTickets(ports.tickets(), filter, seen);
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        return ids.hasNext();
      }

      @Override
      public BulkRun.Item next() {
        return new BulkRun.Item(ids.next(), null);
      }
    };
  }

  /** Returns the desk for a ticket as it was seen. */
  private static TicketDesk asSeen(TicketDesk desk, BulkRun.Item item) {
    return item.version() == null ? desk : desk.onVersion(item.version());
  }

  /**
   * Returns the filter of the page. One that it does not understand is refused, because it would
   * act on more.
   */
  private static TicketFilter query(Context context) {
    if (context.formParam("group") != null) {
      return group(context);
    }
    Filters filters =
        Filters.of(name -> name.equals("state") ? null : context.formParam(field(name)));
    if (!filters.problems().isEmpty()) {
      throw new InvalidInputException(String.join("; ", filters.problems()));
    }
    return filters.query().withState(TicketState.ON_HOLD);
  }

  private static TicketFilter group(Context context) {
    String fingerprint = Objects.requireNonNullElse(context.formParam("fingerprint"), "");
    if (fingerprint.isEmpty()) {
      throw new InvalidInputException(
          "tickets without an error are held for different reasons; select those that are meant");
    }
    return TicketFilter.all(1)
        .withState(TicketState.ON_HOLD)
        .withError(Objects.requireNonNullElse(context.formParam("category"), ""), fingerprint);
  }

  /**
   * Returns the name of the field. In the form, "assignee" is the person to whom tickets are
   * assigned.
   */
  private static String field(String name) {
    return name.equals("assignee") ? "person" : name;
  }

  private static Instant seen(Context context) {
    try {
      return Instant.parse(String.valueOf(context.formParam("seen")));
    } catch (DateTimeException e) {
      throw new Refused(400, "the form does not say when it was made; load the page again");
    }
  }

  private static List<BulkRun.Item> items(List<String> fields) {
    List<BulkRun.Item> items = new ArrayList<>();
    for (String field : fields) {
      int at = field.indexOf('@');
      String id = at < 0 ? field : field.substring(0, at);
      if (!id.matches("[0-9]{1,18}")) {
        throw new Refused(400, "a ticket's id is a whole number");
      }
      items.add(new BulkRun.Item(Long.parseLong(id), at < 0 ? null : field.substring(at + 1)));
    }
    return items;
  }

  /** Shows news of a release on a page that stays open: a worker may be quick, or fail quickly. */
  private void released(Context context) {
    String key = key(context.queryParam("release"));
    String back = Links.back(context.queryParam("back"), "/inbox");
    Notice notice = shell.asOfNow(Notice.of(true, "", List.of(), key));
    shell.show(context, "part/release_news", notice.news(Visitor.of(context), back));
  }

  private static String key(@Nullable String release) {
    if (release == null || release.isEmpty() || release.length() > LONGEST_KEY) {
      throw new Refused(400, "which release? its key is missing; load the page again");
    }
    return release;
  }

  private void undo(Context context) throws InterruptedException {
    String key = key(context.formParam("release"));
    String back = Links.back(context.formParam("back"), "/inbox");
    BulkRun.Order order = order(TAKEN_BACK, reader.released(key).total(), back);
    UndoneTickets undone;
    try {
      undone = new UndoneTickets(ports.desk(), key, Visitor.of(context).actor());
    } catch (IllegalTransitionException | NotFoundException e) {
      tell(context, back, Notice.bad(TicketForms.sentence(e)));
      return;
    }
    answer(context, runs.start(order, undone, Undone::ticketId, Undone::require));
  }

  private void answer(Context context, BulkRun run) throws InterruptedException {
    if (run.waitFor(PATIENCE)) {
      tell(context, run.back(), run.notice());
    } else {
      context.redirect("/runs/" + run.id(), HttpStatus.SEE_OTHER);
    }
  }

  private static void tell(Context context, String back, Notice notice) {
    NoticeCookie.put(context, notice);
    context.redirect(back, HttpStatus.SEE_OTHER);
  }

  private void show(Context context) {
    Optional<BulkRun> found = runs.find(context.pathParam("id"));
    Page page = shell.page(context, "Action on many tickets", null);
    if (found.isEmpty()) {
      shell.message(
          context,
          404,
          page,
          "This process knows of no such action: another one may be at work on it, or it was"
              + " restarted. Nothing that it did is lost; each ticket's page shows its state.");
      return;
    }
    BulkRun run = found.get();
    shell.show(context, "run", run.on(page, shell::asOfNow));
  }

  private void stop(Context context) {
    runs.find(context.pathParam("id")).ifPresent(BulkRun::stop);
    context.redirect("/runs/" + context.pathParam("id"), HttpStatus.SEE_OTHER);
  }
}
