package dev.holdfast.web.console;

import dev.holdfast.queue.spending.SpendingDesk;
import dev.holdfast.web.Routes;
import dev.holdfast.web.Visitor;
import dev.holdfast.web.WebPorts;
import dev.holdfast.web.access.Role;
import dev.holdfast.web.console.view.Format;
import io.javalin.http.Context;
import io.javalin.router.JavalinDefaultRoutingApi;
import org.jspecify.annotations.Nullable;

/** Handles the buttons beside a schedule, and beside an account that a person has repaired. */
record OperationForms(WebPorts ports) implements Routes {
  @Override
  public void addTo(JavalinDefaultRoutingApi routes) {
    routes.post("/schedules/act", this::act, Role.OPERATOR);
    routes.post("/providers/mend", this::mend, Role.OPERATOR);
  }

  private void act(Context context) {
    TicketForms.answer(
        context,
        () -> {
          @Nullable String name = TicketForms.words(context, "schedule");
          @Nullable String action = TicketForms.words(context, "do");
          if (name == null || action == null) {
            return Notice.bad("Nothing was done: name a schedule and what to do.");
          }
          return act(context, name, action);
        },
        "/schedules");
  }

  private Notice act(Context context, String name, String action) {
    String actor = Visitor.of(context).actor();
    switch (action) {
      case "pause" -> ports.schedules().pause(name, actor);
      case "resume" -> ports.schedules().resume(name, actor);
      case "run" -> {
        return TicketForms.once(
            context,
            ports,
            one -> name + " has made ticket #" + one.schedules().run(name, actor) + ".");
      }
      default -> {
        return Notice.bad("Nothing was done: pause, resume or run?");
      }
    }
    return Notice.good(name + (action.equals("pause") ? " is paused." : " makes tickets again."));
  }

  private void mend(Context context) {
    TicketForms.answer(
        context,
        () -> {
          @Nullable String provider = TicketForms.words(context, "provider");
          @Nullable String key = TicketForms.words(context, "key");
          if (provider == null) {
            return Notice.bad("Nothing was mended: name a provider.");
          }
          SpendingDesk.Mended mended =
              ports.spending().mend(provider, Visitor.of(context).actor(), key);
          return Notice.good(
              "%s is called again. Held tickets released: %s; waiting ones woken: %s."
                  .formatted(
                      provider, Format.number(mended.released()), Format.number(mended.woken())));
        },
        "/providers");
  }
}
