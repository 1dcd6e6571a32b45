package dev.holdfast.web.console;

import dev.holdfast.queue.view.ConsoleReader;
import dev.holdfast.queue.view.FigureWindow;
import dev.holdfast.web.Routes;
import dev.holdfast.web.WebPorts;
import dev.holdfast.web.access.Role;
import dev.holdfast.web.console.home.Overview;
import io.javalin.http.Context;
import io.javalin.router.JavalinDefaultRoutingApi;
import java.util.Objects;

/** The home page. */
record HomeRoutes(WebPorts ports, ConsoleReader reader, Shell shell) implements Routes {
  @Override
  public void addTo(JavalinDefaultRoutingApi routes) {
    routes.get("/", this::home, Role.VIEWER);
  }

  /** Shows the home page. An unknown window shows a day. */
  private void home(Context context) {
    FigureWindow window =
        FigureWindow.of(Objects.requireNonNullElse(context.queryParam("window"), ""))
            .orElse(FigureWindow.DAY);
    Page page = shell.page(context, "Overview", Section.HOME);
    shell.show(
        context,
        "home",
        new HomePage(
            page,
            Overview.of(
                ports.figures().figures(window), ports.tickets().queues(), page.held(), page.now()),
            reader.providers()));
  }
}
