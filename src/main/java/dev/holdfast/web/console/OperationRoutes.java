package dev.holdfast.web.console;

import dev.holdfast.queue.view.ConsoleReader;
import dev.holdfast.queue.view.DesignVersion;
import dev.holdfast.queue.view.RunningTicket;
import dev.holdfast.web.Routes;
import dev.holdfast.web.WebPorts;
import dev.holdfast.web.access.Role;
import dev.holdfast.web.console.view.Diff;
import dev.holdfast.web.console.view.Filters;
import dev.holdfast.web.console.view.LineChanges;
import dev.holdfast.web.console.view.ResultView;
import io.javalin.http.Context;
import io.javalin.router.JavalinDefaultRoutingApi;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Queues, schedules, batches, workers, providers and designs. */
record OperationRoutes(WebPorts ports, ConsoleReader reader, Shell shell, Console.Process process)
    implements Routes {
  private static final int MOST_RUNNING = 2_000;
  private static final int MOST_BATCHES = 20;

  @Override
  public void addTo(JavalinDefaultRoutingApi routes) {
    routes.get("/queues", this::queues, Role.VIEWER);
    routes.get("/schedules", this::schedules, Role.VIEWER);
    routes.get("/batches", this::batches, Role.VIEWER);
    routes.get("/workers", this::workers, Role.VIEWER);
    routes.get("/providers", this::providers, Role.VIEWER);
    routes.get("/designs", this::designs, Role.VIEWER);
    routes.get("/design", this::design, Role.VIEWER);
  }

  private void queues(Context context) {
    Page page = shell.page(context, "Queues", Section.QUEUES);
    shell.show(
        context,
        "queues",
        QueuesPage.of(page, ports.tickets().queues(), reader.flow(), ports.limits().list()));
  }

  private void schedules(Context context) {
    Page page = shell.page(context, "Schedules", Section.SCHEDULES);
    shell.show(context, "schedules", new SchedulesPage(page, ports.schedules().list()));
  }

  private void batches(Context context) {
    Page page = shell.page(context, "Batches", Section.BATCHES);
    shell.show(
        context,
        "batches",
        new BatchesPage(
            page,
            ports.batches().list(MOST_BATCHES, null),
            ports.releases().list(MOST_BATCHES, null)));
  }

  private void workers(Context context) {
    Page page = shell.page(context, "Workers", Section.WORKERS);
    shell.show(
        context,
        "workers",
        new WorkersPage(
            page,
            ports.tickets().workers(),
            reader.running(MOST_RUNNING).stream()
                .collect(Collectors.groupingBy(RunningTicket::workerId)),
            reader.busySlots(),
            process.sandbox().get()));
  }

  private void providers(Context context) {
    Page page = shell.page(context, "Providers", Section.PROVIDERS);
    shell.show(
        context,
        "providers",
        new ProvidersPage(
            page,
            process.providers(),
            reader.providers(),
            reader.modelUse(),
            ports.spending().budgets()));
  }

  private void designs(Context context) {
    Page page = shell.page(context, "Designs", Section.DESIGNS);
    shell.show(context, "designs", new DesignsPage(page, reader.designs()));
  }

  private void design(Context context) {
    String name = Filters.text(context.queryParam("name"));
    List<DesignVersion> versions = name == null ? List.of() : reader.designVersions(name);
    if (versions.isEmpty()) {
      Page page = shell.page(context, "No such design", Section.DESIGNS);
      shell.message(context, 404, page, "There is no design of this name.");
      return;
    }
    DesignVersion shown =
        version(versions, context.queryParam("version")).orElse(versions.getFirst());
    String with = context.queryParam("with");
    @Nullable DesignVersion before =
        version(versions, with == null ? "" + (shown.version() - 1) : with).orElse(null);
    String document = ResultView.indented(shown.definition());
    List<Diff.Line> changes =
        before == null
            ? List.of()
            : LineChanges.between(ResultView.indented(before.definition()), document);
    Page page = shell.page(context, shown.name(), Section.DESIGNS);
    shell.show(context, "design", new DesignPage(page, versions, shown, document, before, changes));
  }

  private static Optional<DesignVersion> version(
      List<DesignVersion> versions, @Nullable String number) {
    return versions.stream()
        .filter(each -> String.valueOf(each.version()).equals(number))
        .findFirst();
  }
}
