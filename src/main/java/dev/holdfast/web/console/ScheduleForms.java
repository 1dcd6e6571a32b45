package dev.holdfast.web.console;

import dev.holdfast.schedule.ScheduleDesk;
import dev.holdfast.web.Routes;
import dev.holdfast.web.Visitor;
import dev.holdfast.web.access.Role;
import io.javalin.http.Context;
import io.javalin.router.JavalinDefaultRoutingApi;
import org.jspecify.annotations.Nullable;

/** The buttons beside a schedule. */
record ScheduleForms(ScheduleDesk desk) implements Routes {
  @Override
  public void addTo(JavalinDefaultRoutingApi routes) {
    routes.post("/schedules/act", this::act, Role.OPERATOR);
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
          return act(name, action, Visitor.of(context).actor());
        },
        "/schedules");
  }

  private Notice act(String name, String action, String actor) {
    switch (action) {
      case "pause" -> desk.pause(name, actor);
      case "resume" -> desk.resume(name, actor);
      case "run" -> {
        return Notice.good(name + " has made ticket #" + desk.run(name, actor) + ".");
      }
      default -> {
        return Notice.bad("Nothing was done: pause, resume or run?");
      }
    }
    return Notice.good(name + (action.equals("pause") ? " is paused." : " makes tickets again."));
  }
}
