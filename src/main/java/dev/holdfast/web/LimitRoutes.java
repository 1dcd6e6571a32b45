package dev.holdfast.web;

import dev.holdfast.limit.LimitDesk;
import dev.holdfast.limit.NewLimit;
import dev.holdfast.limit.Rate;
import dev.holdfast.web.access.Role;
import io.javalin.http.Context;
import io.javalin.router.JavalinDefaultRoutingApi;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code /api/v1/limits} and {@code /api/v1/weights}: what {@code holdfast limit} does. */
record LimitRoutes(LimitDesk desk) implements Routes {
  private static final String LIST = "/api/v1/limits";
  private static final String ONE = LIST + "/<scope>";
  private static final String WEIGHT = "/api/v1/weights/<key>";

  /** The fields as {@code holdfast limit set} has them. */
  record Body(
      @Nullable Integer concurrent,
      @Nullable Integer perKey,
      @Nullable String rate,
      @Nullable Integer burst,
      @Nullable String by) {}

  /** The fields as {@code holdfast limit weight} has them. */
  record WeightBody(@Nullable Integer weight, @Nullable String by) {}

  @Override
  public void addTo(JavalinDefaultRoutingApi routes) {
    routes.get(LIST, Requests.plain(this::list), Role.VIEWER);
    routes.put(ONE, Requests.plain(this::set), Role.OPERATOR);
    routes.delete(ONE, Requests.plain(this::remove), Role.OPERATOR);
    routes.put(WEIGHT, Requests.plain(this::weigh), Role.OPERATOR);
  }

  private void list(Context context) {
    Answers.json(context, 200, Map.of("limits", desk.list()));
  }

  private void set(Context context) {
    Body body = Requests.body(context, Body.class);
    NewLimit limit =
        new NewLimit(
            context.pathParam("scope"), body.concurrent, body.perKey, rate(body.rate), body.burst);
    Answers.json(context, 200, desk.set(limit, Visitor.of(context).actor(body.by)));
  }

  private void remove(Context context) {
    desk.remove(context.pathParam("scope"), Visitor.of(context).actor(null));
    context.status(204);
  }

  private void weigh(Context context) {
    WeightBody body = Requests.body(context, WeightBody.class);
    if (body.weight == null) {
      throw new Refused(422, "weight: a whole number from 1, which is what all have, to 1000");
    }
    desk.setWeight(context.pathParam("key"), body.weight, Visitor.of(context).actor(body.by));
    context.status(204);
  }

  private static @Nullable Rate rate(@Nullable String text) {
    try {
      return text == null ? null : Rate.parse(text);
    } catch (IllegalArgumentException e) {
      throw new Refused(422, "rate: " + e.getMessage());
    }
  }
}
