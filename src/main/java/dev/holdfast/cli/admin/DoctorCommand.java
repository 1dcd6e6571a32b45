package dev.holdfast.cli.admin;

import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.JsonOutput;
import dev.holdfast.cli.output.PlainText;
import dev.holdfast.cli.root.Backend;
import dev.holdfast.cli.root.HoldfastCommand;
import dev.holdfast.queue.QueueUnavailableException;
import dev.holdfast.queue.read.Checkup;
import dev.holdfast.queue.read.Checkup.Server;
import dev.holdfast.queue.read.LiveWorkers;
import dev.holdfast.queue.read.TicketReader;
import dev.holdfast.queue.read.WorkerRow;
import dev.holdfast.tool.sandbox.Sandboxes;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code holdfast doctor}. */
@Command(
    name = "doctor",
    description =
        "Check the sandbox, database, schema, notifications, workers and what tickets wait for."
            + " Exit code 1 if a check fails, 4 if the database cannot be reached.",
    footer = {"", "Example:", "  holdfast doctor"})
public final class DoctorCommand implements Callable<Integer> {
  private final HoldfastCommand root;

  @Option(names = "--json", description = "Print a JSON array of checks.")
  private boolean json;

  public DoctorCommand(HoldfastCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() throws InterruptedException {
    List<CheckResult> results = new ArrayList<>();
    int code = ExitCode.DONE;
    try (Backend backend = root.open()) {
      check(backend, results);
    } catch (QueueUnavailableException e) {
      results.add(
          CheckResult.fail(
              "database",
              PlainText.oneLine(e.getMessage()),
              "check database.url, and that the server runs"));
      code = ExitCode.of(e);
    }
    print(results);
    boolean failed = results.stream().anyMatch(each -> each.status() == CheckResult.Status.FAIL);
    return code == ExitCode.DONE && failed ? ExitCode.FAILED : code;
  }

  private void check(Backend backend, List<CheckResult> results) throws InterruptedException {
    Sandboxes sandboxes =
        Sandboxes.of(root.settings().agents().sandbox(), System.getenv(), List.of());
    Checkup checkup = backend.checkup();
    Server server = checkup.server();
    results.add(Checks.server(server, backend.address()));
    results.add(Checks.encoding(server.encoding()));
    results.add(Checks.clock(server.now(), root.terminal().clock().instant()));
    results.add(Checks.notifications(checkup.notificationsArrive(Checks.patience())));
    results.add(Checks.transactions(checkup.transactionsOlderThan(Checks.longTransaction())));
    results.add(Checks.sandbox(sandboxes.state()));
    CheckResult schema = Checks.schema(checkup.schemaVersion(), checkup.newestSchemaVersion());
    results.add(schema);
    if (schema.status() != CheckResult.Status.OK) {
      return;
    }
    TicketReader reader = backend.reader();
    List<WorkerRow> workers = reader.workers();
    LiveWorkers live = reader.liveWorkers();
    results.add(Checks.roles(checkup.missingRoles()));
    results.add(Checks.workers(workers, live));
    results.add(Checks.kinds(checkup.readyKinds(), live));
    results.add(Checks.pauses(reader.queues()));
    results.add(Checks.holds(reader, server.now()));
  }

  private void print(List<CheckResult> results) {
    if (json) {
      root.terminal().line(JsonOutput.of(results));
    } else {
      results.forEach(each -> root.terminal().line(each.line()));
    }
  }
}
