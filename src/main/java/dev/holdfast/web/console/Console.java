package dev.holdfast.web.console;

import dev.holdfast.queue.Channel;
import dev.holdfast.queue.view.ConsoleReader;
import dev.holdfast.web.BulkActions;
import dev.holdfast.web.Pages;
import dev.holdfast.web.Problem;
import dev.holdfast.web.Routes;
import dev.holdfast.web.WebPorts;
import dev.holdfast.web.console.view.ConfiguredProvider;
import io.javalin.router.JavalinDefaultRoutingApi;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The pages for people, and what their forms do. All of it is rendered here and works without
 * JavaScript; a small script keeps what is shown up to date. Thread-safe.
 */
public final class Console implements Routes, Pages {
  private final Templates templates = new Templates();
  private final Assets assets = new Assets();
  private final List<Routes> groups;

  /**
   * The process that serves the pages.
   *
   * @param sandbox says how it confines programs of tools; empty where it runs none
   * @param providers the providers of models that it has configured
   */
  public record Process(Supplier<String> sandbox, List<ConfiguredProvider> providers) {
    public Process {
      providers = List.copyOf(providers);
    }
  }

  /**
   * @param bulk closed by the caller
   */
  public Console(WebPorts given, ConsoleReader reader, BulkActions bulk, Process process) {
    WebPorts ports = given.through(Channel.CONSOLE);
    Shell shell = new Shell(ports.tickets(), reader, templates, assets);
    BulkRuns runs = new BulkRuns(bulk);
    this.groups =
        List.of(
            assets,
            new HomeRoutes(ports, reader, shell),
            new InboxRoutes(ports, reader, shell),
            new TicketPageRoutes(ports, reader, shell),
            new OperationRoutes(ports, reader, shell, process),
            new EnqueueForms(ports, reader, shell),
            new TicketForms(ports),
            new CallForms(ports),
            new OperationForms(ports),
            new BatchForms(ports),
            new BulkForms(ports, reader, shell, runs));
  }

  @Override
  public void addTo(JavalinDefaultRoutingApi routes) {
    groups.forEach(group -> group.addTo(routes));
  }

  @Override
  public String login(LoginForm form) {
    BarePage bare = new BarePage("Log in", form.problem(), null, 0, assets.path());
    return templates.render("login", new BarePage.Login(bare, form));
  }

  @Override
  public String problem(Problem problem, @Nullable String back, int again) {
    return templates.render(
        "problem", new BarePage(problem.title(), problem.detail(), back, again, assets.path()));
  }
}
