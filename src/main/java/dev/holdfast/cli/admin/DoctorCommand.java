package dev.holdfast.cli.admin;

import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.JsonOutput;
import dev.holdfast.cli.output.PlainText;
import dev.holdfast.cli.output.Words;
import dev.holdfast.cli.root.Backend;
import dev.holdfast.cli.root.HoldfastCommand;
import dev.holdfast.queue.DatabaseUnavailableException;
import dev.holdfast.queue.read.Checkup;
import dev.holdfast.queue.read.Checkup.Server;
import dev.holdfast.queue.read.TicketReader;
import dev.holdfast.tool.sandbox.SandboxState;
import dev.holdfast.tool.sandbox.Sandboxes;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code holdfast doctor}. */
@Command(
    name = "doctor",
    description =
        "Check the database, this machine, workers and what tickets wait for, with the command that"
            + " mends what is found. Without a database it checks this machine alone. Exit code 1"
            + " if a check fails, 4 if the database cannot be reached.",
    footer = {"", "Example:", "  holdfast doctor"})
public final class DoctorCommand implements Callable<Integer> {
  private final HoldfastCommand root;

  @Option(
      names = "--long-transaction",
      paramLabel = "DURATION",
      defaultValue = "5m",
      description = "How long a transaction may be open; default ${DEFAULT-VALUE}.")
  private String transactionLimit = "";

  @Option(
      names = "--min-free",
      paramLabel = "MIB",
      defaultValue = "1024",
      description = "How much disk shall be free, in MiB; default ${DEFAULT-VALUE}.")
  private long minFree;

  @Option(names = "--json", description = "Print a JSON array of checks.")
  private boolean json;

  public DoctorCommand(HoldfastCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() throws InterruptedException {
    Duration longTransaction = Words.duration("--long-transaction", transactionLimit);
    List<CheckResult> results = new ArrayList<>();
    checkMachine(new Looks(results));
    int code = ExitCode.DONE;
    try (Backend backend = root.open()) {
      check(backend, longTransaction, results);
    } catch (DatabaseUnavailableException e) {
      results.add(
          CheckResult.fail(
              "database", PlainText.oneLine(e.getMessage()), "all else was not looked at"));
      code = ExitCode.of(e);
    }
    print(results);
    boolean failed = results.stream().anyMatch(each -> each.status() == CheckResult.Status.FAIL);
    return code == ExitCode.DONE && failed ? ExitCode.FAILED : code;
  }

  /** Makes the checks that need no database. */
  private void checkMachine(Looks looks) {
    SandboxState sandbox =
        Sandboxes.of(root.settings().agents().sandbox(), System.getenv(), List.of()).state();
    looks.add("java", MachineChecks::java);
    looks.add("sandbox", () -> MachineChecks.sandbox(sandbox));
    looks.add("user", () -> MachineChecks.user(root.settings().command().user()));
    looks.add("directories", () -> MachineChecks.directories(written()));
  }

  private void check(Backend backend, Duration longTransaction, List<CheckResult> results)
      throws InterruptedException {
    Checkup checkup = backend.checkup();
    Server server = checkup.server();
    Looks looks = new Looks(results);
    looks.add("database", () -> ServerChecks.server(server, backend.address()));
    looks.add("encoding", () -> ServerChecks.encoding(server.encoding()));
    looks.add("clock", () -> ServerChecks.clock(server.now(), root.terminal().clock().instant()));
    looks.add(
        "commits",
        () -> StandstillChecks.commits(checkup.commitsWaitingFor(ServerChecks.PATIENCE), server));
    looks.add("wraparound", () -> StandstillChecks.transactionIds(checkup.transactionIds()));
    looks.add(
        "notifications",
        () ->
            server.standby()
                ? ServerChecks.notificationsOfStandby()
                : ServerChecks.notifications(checkup.notificationsArrive(ServerChecks.PATIENCE)));
    looks.add(
        "transactions",
        () ->
            ServerChecks.transactions(
                checkup.transactionsOlderThan(longTransaction), longTransaction, server));
    looks.add("disk", () -> MachineChecks.disk(places(checkup), minFree));
    if (looks.add("policies", () -> StandstillChecks.policies(checkup.hiddenTables()))
        != CheckResult.Status.FAIL) {
      checkSchema(checkup, server, looks);
    }
  }

  /** Checks the schema. For a user without any rights, the check of the roles gives the reason. */
  private void checkSchema(Checkup checkup, Server server, Looks looks) {
    CheckResult.Status schema =
        looks.add(
            "schema",
            () -> ServerChecks.schema(checkup.schemaVersion(), checkup.newestSchemaVersion()));
    if (schema == CheckResult.Status.SKIP) {
      looks.add(
          "roles",
          () ->
              ServerChecks.rolesOf(
                  server.user(), checkup.missingRoles(), checkup.rolesWithoutRights()));
    } else if (schema != CheckResult.Status.FAIL) {
      looks.add(
          "roles", () -> ServerChecks.roles(checkup.missingRoles(), checkup.rolesWithoutRights()));
    }
    if (schema == CheckResult.Status.OK) {
      checkTickets(checkup, server, looks);
    }
  }

  private void checkTickets(Checkup checkup, Server server, Looks looks) {
    TicketReader tickets = checkup.tickets();
    looks.add("vacuum", () -> ServerChecks.vacuum(checkup.tables(), server));
    looks.add("references", () -> TicketChecks.references(checkup.references()));
    looks.add("workers", () -> TicketChecks.workers(tickets.workers(), tickets.liveWorkers()));
    looks.add(
        "leases", () -> TicketChecks.leases(checkup.leasesExpiredFor(TicketChecks.RESCUE_GRACE)));
    looks.add("kinds", () -> TicketChecks.kinds(checkup.readyKinds(), tickets.liveWorkers()));
    looks.add("pauses", () -> TicketChecks.pauses(tickets.queues()));
    looks.add(
        "waits", () -> TicketChecks.waits(checkup.notDueWithin(TicketChecks.FAR), server.now()));
    looks.add("times", () -> TicketChecks.times(checkup.setInFuture(), server.now()));
    looks.add(
        "predecessors",
        () -> TicketChecks.predecessors(checkup.behindHeld(TicketChecks.LONG_WAIT)));
    looks.add("limits", () -> TicketChecks.limits(checkup.inLineFor(TicketChecks.LONG_WAIT)));
    looks.add(
        "expiries", () -> TicketChecks.expiries(checkup.expiredFor(TicketChecks.RESCUE_GRACE)));
    looks.add("designs", () -> TicketChecks.designs(checkup.withoutDesign()));
    looks.add("assignees", () -> TicketChecks.assignees(checkup.forNobody()));
    looks.add(
        "holds", () -> TicketChecks.holds(checkup.heldFor(TicketChecks.LONG_HOLD), server.now()));
    looks.add(
        "worktrees",
        () -> MachineChecks.worktrees(root.settings().repair().workspaceRoot(), tickets));
  }

  private List<Path> roots() {
    return List.of(
        root.settings().agents().handler().workspaceRoot(),
        root.settings().repair().workspaceRoot(),
        root.settings().repair().runsRoot());
  }

  private List<Path> written() {
    List<Path> written = new ArrayList<>(roots());
    written.add(Path.of(System.getProperty("java.io.tmpdir")));
    return written;
  }

  private List<Path> places(Checkup checkup) {
    List<Path> places = new ArrayList<>(roots());
    checkup.dataDirectory().ifPresent(places::add);
    return places;
  }

  private void print(List<CheckResult> results) {
    if (json) {
      root.terminal().line(JsonOutput.of(results));
    } else {
      results.forEach(each -> root.terminal().line(each.line()));
    }
  }
}
