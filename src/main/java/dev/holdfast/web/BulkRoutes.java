package dev.holdfast.web;

import dev.holdfast.batch.Batch;
import dev.holdfast.batch.NewRelease;
import dev.holdfast.failure.Category;
import dev.holdfast.queue.NewTicket;
import dev.holdfast.queue.TicketDesk;
import dev.holdfast.queue.TicketDesk.Conversation;
import dev.holdfast.queue.TicketDesk.Retries;
import dev.holdfast.queue.TicketInbox;
import dev.holdfast.queue.TicketInbox.Batched;
import dev.holdfast.queue.UndoneTickets;
import dev.holdfast.queue.UndoneTickets.Undone;
import dev.holdfast.queue.read.HeldTickets;
import dev.holdfast.web.access.Role;
import io.javalin.http.Context;
import io.javalin.router.JavalinDefaultRoutingApi;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Routes for releasing many held tickets at once, for the progress of that, and for its undo. */
record BulkRoutes(WebPorts ports, BulkActions actions) implements Routes {
  private static final String PROGRESS = "/api/v1/bulk/";
  private static final Duration PATIENCE = Duration.ofSeconds(2);
  private static final int MOST_IDS = 10_000;
  private static final String RELEASED = "released";

  /** The time for the last ticket; longer than a statement may take. */
  private static final Duration LAST_TICKET = Duration.ofSeconds(15);

  /** The tickets to release: by ids, or all held ones of an error, a category, or both. */
  record Release(
      @Nullable List<Long> ids,
      @Nullable String fingerprint,
      @Nullable String category,
      @Nullable String guidance,
      @Nullable Boolean keepRetries,
      @Nullable Boolean fresh,
      @Nullable String by) {

    ActionRoutes.Release one() {
      return new ActionRoutes.Release(guidance, keepRetries, fresh, by);
    }
  }

  @Override
  public void addTo(JavalinDefaultRoutingApi routes) {
    routes.post("/api/v1/tickets/release", Requests.plain(this::release), Role.OPERATOR);
    routes.get(PROGRESS + "{id}", Requests.plain(this::progress), Role.VIEWER);
    routes.post(PROGRESS + "{id}/undo", Requests.plain(this::undo), Role.OPERATOR);
  }

  private void release(Context context) throws InterruptedException {
    Release body = Requests.body(context, Release.class);
    String actor = Visitor.of(context).actor(body.by);
    String guidance = ActionRoutes.words("guidance", body.guidance);
    ActionRoutes.Release one = body.one();
    String key = BulkActions.newId();
    TicketDesk releasing = ports.desk().releasingAs(key);
    answer(
        context,
        actions.start(
            key,
            RELEASED,
            chosen(body),
            Long::longValue,
            id ->
                releasing.release(
                    id, actor, guidance, ActionRoutes.retries(one), ActionRoutes.session(one))));
  }

  /** Undoes a release of any process. */
  private void undo(Context context) throws InterruptedException {
    String by = Requests.body(context, ActionRoutes.Nothing.class).by();
    String actor = Visitor.of(context).actor(by);
    String release = context.pathParam("id");
    end(release);
    UndoneTickets undone = new UndoneTickets(ports.desk(), release, actor);
    answer(
        context,
        actions.start(
            BulkActions.newId(), "taken back", undone, Undone::ticketId, Undone::require));
  }

  /** Stops a release. If it still ran, it would release again what is taken back. */
  private void end(String release) throws InterruptedException {
    BulkAction running = actions.find(release).filter(BulkRoutes::isRelease).orElse(null);
    if (running == null) {
      return;
    }
    running.stop("it was taken back");
    if (!running.await(LAST_TICKET)) {
      throw new Refused(503, "the release is still at its last ticket; undo it again");
    }
  }

  private static boolean isRelease(BulkAction bulk) {
    return bulk.progress().action().equals(RELEASED);
  }

  private static void answer(Context context, BulkAction bulk) throws InterruptedException {
    boolean finished = bulk.await(PATIENCE);
    context.header("Location", PROGRESS + bulk.id());
    Answers.json(context, finished ? 200 : 202, bulk.progress());
  }

  private Iterator<Long> chosen(Release body) {
    boolean byError = body.fingerprint != null || body.category != null;
    if (byError == (body.ids != null)) {
      throw new Refused(422, "which tickets? ids, or else fingerprint or category or both");
    }
    if (body.ids == null) {
      Category category = Requests.category(body.category);
      return new HeldTickets(
          ports.tickets(),
          category == null ? null : category.wireName(),
          Requests.fingerprint(body.fingerprint));
    }
    if (body.ids.size() > MOST_IDS) {
      throw new Refused(422, "ids: at most " + MOST_IDS + " whole numbers");
    }
    return ids(body.ids).stream().distinct().iterator();
  }

  private static List<Long> ids(List<Long> ids) {
    if (ids.stream().anyMatch(id -> id == null || id < 0)) {
      throw new Refused(422, "ids: whole numbers");
    }
    return ids;
  }

  private void progress(Context context) {
    BulkAction bulk =
        actions
            .find(context.pathParam("id"))
            .orElseThrow(() -> new Refused(404, "no such bulk action is known to this process"));
    Answers.json(context, 200, bulk.progress());
  }

  /** {@code /api/v1/batches}: many tickets at once, and what {@code holdfast batch} does. */
  record Batches(WebPorts ports) implements Routes {
    private static final String LIST = "/api/v1/batches";
    private static final String ONE = LIST + "/{id}";
    private static final int MOST_TICKETS = 10_000;

    /**
     * Many tickets.
     *
     * @param tickets each as in {@code POST /api/v1/tickets}
     */
    record Body(
        @Nullable String title, @Nullable List<CreateRoute.Body> tickets, @Nullable String by) {}

    /** The reason, and the person. */
    record Reason(@Nullable String reason, @Nullable String by) {}

    @Override
    public void addTo(JavalinDefaultRoutingApi routes) {
      routes.post(LIST, Requests.plain(this::create), Role.OPERATOR);
      routes.get(LIST, this::list, Role.VIEWER);
      routes.get(ONE, Requests.plain(this::show), Role.VIEWER);
      routes.post(ONE + "/hold", Requests.plain(this::hold), Role.OPERATOR);
      routes.post(ONE + "/cancel", Requests.plain(this::cancel), Role.OPERATOR);
    }

    private void create(Context context) {
      Body body = Requests.body(context, Body.class);
      List<CreateRoute.Body> given = body.tickets;
      if (given == null || given.isEmpty() || given.size() > MOST_TICKETS) {
        throw new Refused(422, "tickets: from 1 to " + MOST_TICKETS + " tickets");
      }
      for (int i = 0; i < given.size(); i++) {
        CreateRoute.@Nullable Body each = given.get(i);
        if (each == null || each.by() != null) {
          throw new Refused(
              422, "ticket " + (i + 1) + ": an object without \"by\", which stands beside tickets");
        }
      }
      String actor = Visitor.of(context).actor(body.by);
      Answers.once(
          context,
          ports,
          201,
          one -> enqueue(one.inbox(), given, actor, body.title),
          Answers.location(context, LIST, "batch_id"));
    }

    /** Enqueues the tickets. If they wait for each other by name, they are a graph. */
    private static Batched enqueue(
        TicketInbox inbox, List<CreateRoute.Body> given, String actor, @Nullable String title) {
      if (given.stream().anyMatch(Batches::isOfGraph)) {
        TicketInbox.BatchedGraph batch =
            inbox.enqueueGraphAsBatch(GraphRoute.graph(given), actor, title);
        return new Batched(batch.batchId(), batch.added());
      }
      List<NewTicket> tickets = given.stream().map(CreateRoute::ticket).toList();
      return inbox.enqueueBatch(tickets.iterator(), actor, title);
    }

    private static boolean isOfGraph(CreateRoute.Body ticket) {
      JsonNode after = ticket.after();
      return ticket.name() != null
          || (after != null && after.isArray() && after.valueStream().anyMatch(JsonNode::isString));
    }

    private void list(Context context) {
      Requests.requireKnown(context, Set.of("limit", "before"));
      String before = Requests.text(context, "before");
      List<Batch> batches =
          ports
              .batches()
              .list(
                  Requests.limit(Requests.text(context, "limit")),
                  before == null ? null : Requests.id(before));
      Answers.json(context, 200, Map.of("batches", batches));
    }

    private void show(Context context) {
      Answers.json(context, 200, ports.batches().find(Requests.id(context)));
    }

    private void hold(Context context) {
      Reason body = Requests.body(context, Reason.class);
      String actor = Visitor.of(context).actor(body.by);
      String reason = body.reason == null ? "held by " + actor : body.reason;
      Answers.json(
          context, 200, Map.of("held", ports.batches().hold(Requests.id(context), actor, reason)));
    }

    private void cancel(Context context) {
      Reason body = Requests.body(context, Reason.class);
      String actor = Visitor.of(context).actor(body.by);
      long cancelled = ports.batches().cancel(Requests.id(context), actor, body.reason);
      Answers.json(context, 200, Map.of("cancelled", cancelled));
    }

    /** {@code /api/v1/releases}: releases of many held tickets in steps. */
    record Releases(WebPorts ports) implements Routes {
      private static final String LIST = "/api/v1/releases";
      private static final String ONE = LIST + "/{id}";

      /**
       * A request to release tickets.
       *
       * @param ramp the steps as in {@code 10,50,all}
       */
      record Body(
          @Nullable List<Long> ids,
          @Nullable String fingerprint,
          @Nullable String category,
          @Nullable Long batchId,
          @Nullable Integer canary,
          @Nullable String ramp,
          @Nullable String guidance,
          @Nullable Boolean keepRetries,
          @Nullable Boolean fresh,
          @Nullable String by) {}

      @Override
      public void addTo(JavalinDefaultRoutingApi routes) {
        routes.post(LIST, Requests.plain(this::start), Role.OPERATOR);
        routes.get(LIST, this::list, Role.VIEWER);
        routes.get(ONE, Requests.plain(this::show), Role.VIEWER);
        routes.post(ONE + "/stop", Requests.plain(this::stop), Role.OPERATOR);
      }

      private void start(Context context) {
        Body body = Requests.body(context, Body.class);
        NewRelease release =
            new NewRelease(
                new NewRelease.Which(
                    body.ids == null ? null : ids(body.ids),
                    Requests.fingerprint(body.fingerprint),
                    Requests.category(body.category),
                    body.batchId),
                canary(body.canary),
                ramp(body.ramp),
                ActionRoutes.words("guidance", body.guidance),
                Boolean.TRUE.equals(body.keepRetries) ? Retries.KEEP : Retries.RESET,
                Boolean.TRUE.equals(body.fresh) ? Conversation.START_OVER : Conversation.RESUME);
        String actor = Visitor.of(context).actor(body.by);
        Answers.once(
            context,
            ports,
            201,
            one -> one.releases().start(release, actor),
            Answers.location(context, LIST, "id"));
      }

      private static int canary(@Nullable Integer canary) {
        if (canary == null) {
          throw new Refused(422, "canary: how many tickets are released first");
        }
        return canary;
      }

      private static List<Integer> ramp(@Nullable String text) {
        try {
          return text == null ? List.of(0) : NewRelease.ramp(text);
        } catch (IllegalArgumentException e) {
          throw new Refused(422, "ramp: " + e.getMessage());
        }
      }

      private void list(Context context) {
        Requests.requireKnown(context, Set.of("limit", "before"));
        String before = Requests.text(context, "before");
        List<dev.holdfast.batch.Release> releases =
            ports
                .releases()
                .list(
                    Requests.limit(Requests.text(context, "limit")),
                    before == null ? null : Requests.id(before));
        Answers.json(context, 200, Map.of("releases", releases));
      }

      private void show(Context context) {
        dev.holdfast.batch.Release release =
            ports
                .releases()
                .find(Requests.id(context))
                .orElseThrow(() -> new Refused(404, "there is no such release; see " + LIST));
        Answers.json(context, 200, release);
      }

      private void stop(Context context) {
        String by = Requests.body(context, ActionRoutes.Nothing.class).by();
        Answers.json(
            context,
            200,
            ports.releases().stop(Requests.id(context), Visitor.of(context).actor(by)));
      }
    }
  }
}
