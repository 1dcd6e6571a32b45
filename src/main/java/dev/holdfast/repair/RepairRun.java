package dev.holdfast.repair;

import dev.holdfast.llm.RetryContext;
import dev.holdfast.repair.trace.RunEvent;
import dev.holdfast.repair.trace.RunLog;
import dev.holdfast.repair.trace.Spending;
import dev.holdfast.repair.trace.Trace;
import dev.holdfast.session.journal.Journal;
import dev.holdfast.session.journal.JournalEntry;
import dev.holdfast.session.retry.Route;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Makes the verification of a repository pass, or says why not. Every finished model answer and
 * every trial is journalled before the next step, so that an attempt over a journal with entries
 * goes on after the last of them and pays for nothing twice. Blocks its thread; an interrupt ends
 * it as {@link InterruptedException}, and a later attempt goes on.
 *
 * <pre>{@code
 * RunEnd end =
 *     new RepairRun(ports, settings, routes)
 *         .run(new RepairRun.Job(17, "ticket-17", task, at), journal, history, workbench);
 * if (end.reason().isSuccess()) {
 *   review(end.commit().id());
 * }
 * }</pre>
 */
public record RepairRun(Ports ports, RepairSettings settings, List<Route> routes) {
  /**
   * The ports of a run.
   *
   * @param models to ask them
   * @param wall the time in events
   * @param traceOf where the trace of a run goes, by the run's name
   * @param width how many candidates are verified at once
   * @param guard what stands between an attempt and its providers
   * @param maxCalls of models in one attempt of the ticket, whatever the run may; 0 for no bound
   * @param money of the ticket
   */
  public record Ports(
      ModelPorts models,
      InstantSource wall,
      Function<String, Trace> traceOf,
      Guard guard,
      int width,
      int maxCalls,
      Money money) {}

  /**
   * @param ofTicket its own limit in USD over all runs, in the place of the design's; empty where
   *     it has none. Asked again before a run ends for it: a person may have raised it.
   * @param outputTokens what a call is taken to write at worst
   */
  public record Money(Supplier<Optional<BigDecimal>> ofTicket, int outputTokens) {}

  /** Puts the checks before each call in front of the providers. */
  @FunctionalInterface
  public interface Guard {
    List<Route> guarded(List<Route> routes, RetryContext context);
  }

  /**
   * @param workplace a name for the ticket that no other database's ticket has
   * @param at how far the ticket has come
   */
  public record Job(long ticketId, String workplace, RepairTask task, RunEnd.At at) {}

  public RepairRun {
    routes = List.copyOf(routes);
  }

  /** The file of a run's trace under the directory of all runs (E47). */
  public static Path traceFile(Path runs, String run) {
    return runs.resolve(run).resolve("trace.jsonl");
  }

  /** The name of the last or current run of a ticket. */
  public static String name(String workplace, int number) {
    return workplace + "-run-" + number;
  }

  /**
   * Works on the run that is due until it ends.
   *
   * @param journal fenced by the ticket's lease
   * @param entries of the journal
   * @throws ModelFailedException if no target answers; the next attempt goes on
   * @throws StoodStillException if none is to be called now; the next attempt goes on
   * @throws IOException if the repository or the disk fails; the next attempt goes on
   */
  public RunEnd run(
      Job job, Journal journal, List<JournalEntry> entries, RepairRepository workbench)
      throws IOException, InterruptedException {
    RunHistory history = RunHistory.of(job.ticketId(), entries);
    int number = history.next();
    RunLog log = log(job, number, journal, entries);
    RunStart start = start(log, job.task(), history, workbench);
    RepairTask task = new RepairTask(job.task().goal(), job.task().guidance(), start.rejected());
    RunBudget budget =
        new RunBudget(
            settings.limits(),
            log,
            ports.money(),
            "ticket:" + job.ticketId(),
            spent(entries).add(journal.spentBefore().costUsd()));
    Models models = models(budget);
    CandidateStep.Parts parts =
        new CandidateStep.Parts(
            log,
            workbench,
            models,
            new Advice(log, models, task, settings.jsonRetries()),
            ports.width());
    RepairLoop.Stop stop = new RepairLoop(parts, settings, task, budget, start.tree()).run();
    return end(log, job, workbench, stop);
  }

  /** Writes the trace of a run that is over, because its worker may have been lost before that. */
  public void traceAgain(Job job, int number, Journal journal, List<JournalEntry> entries) {
    log(job, number, journal, entries);
  }

  /** Writes the trace again from what the journal has of the run. */
  private RunLog log(Job job, int number, Journal journal, List<JournalEntry> entries) {
    String name = name(job.workplace(), number);
    return new RunLog(
        journal,
        entries,
        new RunLog.Identity(job.ticketId(), number, name),
        new RunLog.Clocks(ports.models().nanoTime(), ports.wall()),
        ports.traceOf().apply(name));
  }

  /** The cost of all runs since the ticket last started over. */
  private static BigDecimal spent(List<JournalEntry> entries) {
    BigDecimal spent = BigDecimal.ZERO;
    for (JournalEntry entry : entries) {
      if (entry instanceof JournalEntry.StepFinished step && step.costUsd() != null) {
        spent = spent.add(step.costUsd());
      }
    }
    return spent;
  }

  private Models models(RunBudget budget) {
    // Zero would mean no bound.
    int ofRun = Math.max(1, budget.callsLeft());
    boolean runIsFirst = ports.maxCalls() == 0 || ofRun <= ports.maxCalls();
    RetryContext context =
        new RetryContext(
            budget.timeLeft(), runIsFirst ? ofRun : ports.maxCalls(), ports.models().nanoTime());
    return new Models(
        ports.guard().guarded(routes, context), ports.models(), context, budget, runIsFirst);
  }

  private static RunStart start(
      RunLog log, RepairTask task, RunHistory history, RepairRepository workbench)
      throws IOException, InterruptedException {
    RunEnd before = history.end();
    Tree tree = before == null ? workbench.baseTree() : before.tree();
    boolean rejected = (before != null && task.rejected()) || history.isStillRejected();
    return log.step(
        "start",
        RunStart.class,
        events -> {
          events.on(new RunEvent.RunStarted("L2", workbench.baseCommit()));
          return RunLog.Done.free(new RunStart(workbench.baseCommit(), tree, rejected));
        });
  }

  private RunEnd end(RunLog log, Job job, RepairRepository workbench, RepairLoop.Stop stop)
      throws IOException, InterruptedException {
    boolean result = stop.reason().isSuccess() && !stop.tree().diff().isEmpty();
    RepairRepository.Commit commit =
        result ? commit(log, job, workbench, stop.tree()) : new RepairRepository.Commit("", "", 0);
    LoopState state = stop.state();
    log.note(
        new RunEvent.RunStopped(
            stop.reason().wireName(), stop.detail(), state.iterations(), state.escalations()));
    Spending spent = log.spending();
    RunEnd end =
        new RunEnd(
            stop.reason(),
            stop.detail(),
            workbench.baseCommit(),
            stop.tree(),
            DiffLines.of(stop.tree().diff()),
            stop.verified(),
            commit,
            stop.signals(),
            new RunEnd.Counts(state.iterations(), state.escalations()),
            new RunEnd.Spent(spent.calls(), spent.costUsd(), log.elapsed().toMillis()),
            job.at());
    return log.step("end", RunEnd.class, events -> RunLog.Done.free(end));
  }

  /** Makes the commit. An attempt that makes it again after a crash gives it the same date. */
  private RepairRepository.Commit commit(RunLog log, Job job, RepairRepository workbench, Tree tree)
      throws IOException, InterruptedException {
    long at =
        log.step(
            "commit-at",
            Long.class,
            events -> RunLog.Done.free(ports.wall().instant().getEpochSecond()));
    String message = message(job.task().goal(), job.ticketId());
    return log.step(
        "commit",
        RepairRepository.Commit.class,
        events -> RunLog.Done.free(workbench.commit(tree, message, Instant.ofEpochSecond(at))));
  }

  /** The message of the commit that a run ends with. */
  public static String message(String goal, long ticketId) {
    String title = goal.strip().lines().findFirst().orElse("Make the verification pass");
    return "%s\n\nTicket %s\n"
        .formatted(title.length() > 72 ? title.substring(0, 71) + "…" : title, ticketId);
  }
}
