package dev.holdfast.web.console;

import dev.holdfast.batch.NewRelease;
import dev.holdfast.batch.Release;
import dev.holdfast.failure.Category;
import dev.holdfast.ticket.InvalidInputException;
import dev.holdfast.web.Routes;
import dev.holdfast.web.Visitor;
import dev.holdfast.web.WebPorts;
import dev.holdfast.web.access.Role;
import io.javalin.http.Context;
import io.javalin.router.JavalinDefaultRoutingApi;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Handles the buttons of batches, and of releases in steps. */
record BatchForms(WebPorts ports) implements Routes {
  private static final String PAGE = "/batches";

  @Override
  public void addTo(JavalinDefaultRoutingApi routes) {
    routes.post("/batches/act", this::act, Role.OPERATOR);
    routes.post("/releases/start", this::start, Role.OPERATOR);
    routes.post("/releases/stop", this::stop, Role.OPERATOR);
  }

  private void act(Context context) {
    TicketForms.answer(
        context,
        () -> {
          long batch = number(context, "batch");
          String actor = Visitor.of(context).actor();
          String reason =
              Optional.ofNullable(TicketForms.words(context, "reason")).orElse("by " + actor);
          return switch (String.valueOf(context.formParam("do"))) {
            case "hold" ->
                Notice.good(
                    "Held %s tickets of batch %s."
                        .formatted(ports.batches().hold(batch, actor, reason), batch));
            case "cancel" ->
                Notice.good(
                    "Cancelled %s tickets of batch %s."
                        .formatted(ports.batches().cancel(batch, actor, reason), batch));
            default -> Notice.bad("Nothing was done: hold or cancel?");
          };
        },
        PAGE);
  }

  private void start(Context context) {
    String actor = Visitor.of(context).actor();
    TicketForms.answer(
        context,
        () -> {
          NewRelease wanted = wanted(context);
          return TicketForms.once(context, ports, one -> told(one.releases().start(wanted, actor)));
        },
        PAGE);
  }

  private static String told(Release release) {
    return "Release " + release.id() + ", " + release.progress() + ".";
  }

  private static NewRelease wanted(Context context) {
    return new NewRelease(
        which(context),
        (int) Math.min(Integer.MAX_VALUE, number(context, "canary")),
        ramp(context),
        TicketForms.words(context, "guidance"),
        TicketForms.retries(context),
        TicketForms.conversation(context));
  }

  private static NewRelease.Which which(Context context) {
    @Nullable String category = TicketForms.words(context, "category");
    return new NewRelease.Which(
        null,
        TicketForms.words(context, "fingerprint"),
        category == null ? null : category(category),
        context.formParam("batch") == null ? null : number(context, "batch"));
  }

  private static Category category(String name) {
    return Category.ofWireName(name)
        .orElseThrow(() -> new InvalidInputException("there is no category \"" + name + "\""));
  }

  private static List<Integer> ramp(Context context) {
    @Nullable String text = TicketForms.words(context, "ramp");
    try {
      return NewRelease.ramp(text == null ? "all" : text);
    } catch (IllegalArgumentException e) {
      throw new InvalidInputException(String.valueOf(e.getMessage()));
    }
  }

  private void stop(Context context) {
    TicketForms.answer(
        context,
        () -> {
          Release release =
              ports.releases().stop(number(context, "release"), Visitor.of(context).actor());
          return Notice.good(told(release));
        },
        PAGE);
  }

  private static long number(Context context, String field) {
    @Nullable String text = context.formParam(field);
    if (text == null || !text.strip().matches("[0-9]{1,18}")) {
      throw new InvalidInputException(field + " must be a whole number");
    }
    return Long.parseLong(text.strip());
  }
}
