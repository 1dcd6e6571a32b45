package dev.holdfast.web;

import dev.holdfast.failure.Category;
import dev.holdfast.queue.TicketDesk;
import dev.holdfast.queue.read.HeldTickets;
import dev.holdfast.queue.read.TicketReader;
import dev.holdfast.web.access.Role;
import io.javalin.http.Context;
import io.javalin.router.JavalinDefaultRoutingApi;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Releasing many held tickets at once, and how far that is. */
final class BulkRoutes implements Routes {
  private static final String PROGRESS = "/api/v1/bulk/";
  private static final Duration PATIENCE = Duration.ofSeconds(2);
  private static final int MOST_IDS = 10_000;

  private final TicketReader tickets;
  private final TicketDesk desk;
  private final BulkActions actions;

  BulkRoutes(WebPorts ports, BulkActions actions) {
    this.tickets = ports.tickets();
    this.desk = ports.desk();
    this.actions = actions;
  }

  /** Which tickets: by ids, or all held ones of an error, a category, or both. */
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
    routes.post("/api/v1/tickets/release", this::release, Role.OPERATOR);
    routes.get(PROGRESS + "{id}", this::progress, Role.VIEWER);
  }

  private void release(Context context) throws InterruptedException {
    Release body = Requests.body(context, Release.class);
    String actor = Visitor.of(context).actor(body.by);
    String guidance = ActionRoutes.words("guidance", body.guidance);
    ActionRoutes.Release one = body.one();
    BulkAction bulk =
        actions.start(
            "released",
            chosen(body),
            Long::longValue,
            id ->
                desk.release(
                    id, actor, guidance, ActionRoutes.retries(one), ActionRoutes.session(one)));
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
          tickets, category == null ? null : category.wireName(), body.fingerprint);
    }
    List<Long> ids = body.ids;
    if (ids.size() > MOST_IDS || ids.stream().anyMatch(id -> id == null || id < 0)) {
      throw new Refused(422, "ids: at most " + MOST_IDS + " whole numbers");
    }
    return ids.stream().distinct().iterator();
  }

  private void progress(Context context) {
    BulkAction bulk =
        actions
            .find(context.pathParam("id"))
            .orElseThrow(() -> new Refused(404, "no such bulk action is known to this process"));
    Answers.json(context, 200, bulk.progress());
  }
}
