package dev.holdfast.repair.trace;

import dev.holdfast.llm.Target;
import dev.holdfast.llm.Usage;
import dev.holdfast.session.journal.Journal;
import dev.holdfast.session.journal.JournalEntry;
import dev.holdfast.ticket.IllegalTransitionException;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The journal of one run. Every step is done once: a step that an earlier attempt has finished is
 * not done again, and its value is returned as it was. So the code of a run is the same whether it
 * begins or goes on, as long as its decisions depend only on values of steps.
 *
 * <p>Events are written with the step they belong to, all or none. Several threads may take steps;
 * only the run's own thread may call {@link #note} and {@link #mark}.
 */
public final class RunLog {
  /** The identity of the run, in every event. */
  public record Identity(long ticket, int number, String name) {}

  public record Clocks(LongSupplier nanoTime, InstantSource wall) {}

  /** The result of a step. */
  public record Done<T>(T value, Paid paid) {
    public static <T> Done<T> free(T value) {
      return new Done<>(value, Paid.NOTHING);
    }
  }

  /**
   * What a call of a model counts for.
   *
   * @param target null where none was called
   * @param costUsd null where there was none or the model has no price
   */
  public record Paid(@Nullable Target target, Usage usage, @Nullable BigDecimal costUsd) {
    static final Paid NOTHING = new Paid(null, Usage.NONE, null);
  }

  /** Takes the events of one step. Thread-safe. */
  @FunctionalInterface
  public interface Events {
    void on(RunEvent event);
  }

  @FunctionalInterface
  public interface Work<T> {
    Done<T> run(Events events) throws IOException, InterruptedException;
  }

  private static final Logger LOG = LoggerFactory.getLogger(RunLog.class);

  private final Journal journal;
  private final Identity identity;
  private final Clocks clocks;
  private final Trace trace;
  private final Map<String, JournalEntry.StepFinished> stored = new HashMap<>();
  private final List<JsonNode> pending = new ArrayList<>();
  private final long openedNanos;
  private long earlierMs;
  private int faults;
  private Spending spending = Spending.NOTHING;

  /**
   * @param entries of the ticket's journal; those of other runs are passed over
   */
  public RunLog(
      Journal journal, List<JournalEntry> entries, Identity identity, Clocks clocks, Trace trace) {
    this.journal = journal;
    this.identity = identity;
    this.clocks = clocks;
    this.trace = trace;
    this.openedNanos = clocks.nanoTime().getAsLong();
    List<JsonNode> earlier = new ArrayList<>();
    for (JournalEntry entry : entries) {
      if (entry instanceof JournalEntry.StepFinished step && step.step().startsWith(prefix())) {
        stored.put(step.step(), step);
        spending = spending.plus(step);
        earlierMs = Math.max(earlierMs, step.elapsedMs());
        earlier.addAll(step.events());
      }
    }
    trace.begin(earlier);
  }

  private String prefix() {
    return "run-" + identity.number() + "/";
  }

  /** The spending of all attempts of the run. */
  public synchronized Spending spending() {
    return spending;
  }

  /** The time of all attempts of the run, without the time between them. */
  public Duration elapsed() {
    long here = TimeUnit.NANOSECONDS.toMillis(clocks.nanoTime().getAsLong() - openedNanos);
    return Duration.ofMillis(earlierMs + here);
  }

  /**
   * Returns the value of a step; works on it only where the journal does not have it.
   *
   * @throws IOException what the work throws; its events are kept then, its value is not
   */
  public <T> T step(String name, Class<T> type, Work<T> work)
      throws IOException, InterruptedException {
    JournalEntry.StepFinished known = takeStored(name);
    if (known != null) {
      return read(known, type);
    }
    List<JsonNode> own = new ArrayList<>();
    Events events =
        event -> {
          synchronized (own) {
            own.add(json(event));
          }
        };
    Done<T> done = null;
    Runnable over = trace.working(name);
    try {
      done = work.run(events);
      append(name, RunJson.tree(done.value()), own, done.paid());
      return done.value();
    } finally {
      over.run();
      logCalls(name, own, done);
      if (done == null) {
        keepFault(own);
      }
    }
  }

  /**
   * Logs one line per call, as sessions do (B72). The step has the tokens and cost of its answer.
   */
  private static void logCalls(String step, List<JsonNode> events, @Nullable Done<?> done) {
    String model = "";
    for (JsonNode each : events) {
      TraceEvent event = TraceEvent.of(each, "");
      if (event.type().equals("ProviderRequestStarted")) {
        model = event.text("provider") + "/" + event.text("model");
      } else if (event.isSentRequest()) {
        LOG.info(
            "{}: call of {}: {}, {} retries, {} ms",
            step,
            model,
            event.flag("success")
                ? answer(done)
                : event.text("error").lines().findFirst().orElse(""),
            event.number("retries"),
            event.number("durationMs"));
      }
    }
  }

  private static String answer(@Nullable Done<?> done) {
    if (done == null) {
      return "ok";
    }
    Usage usage = done.paid().usage();
    BigDecimal cost = done.paid().costUsd();
    return "ok, %s tokens in, %s out, %s USD"
        .formatted(
            usage.input() + usage.cacheRead() + usage.cacheWrite(),
            usage.output(),
            cost == null ? "unknown" : cost.toPlainString());
  }

  /**
   * Keeps the events of a fault. Events noted before it are not among them: an attempt that takes
   * the step again notes them again. A call may have been broken off because a person took the
   * ticket (E11). When the lease is over, the fault matters more than events that cannot be kept.
   */
  private void keepFault(List<JsonNode> events) {
    if (events.isEmpty()) {
      return;
    }
    try {
      writeLate(numbered("fault-"), events, Paid.NOTHING);
    } catch (RuntimeException e) {
      LOG.debug("events of a step that failed were not kept", e);
    }
  }

  /** Keeps at once the usage of a call that brought no answer, whatever happens to its step. */
  public void unanswered(Paid paid) {
    write(numbered("unanswered-"), RunJson.MAPPER.nullNode(), List.of(), paid);
  }

  /** Keeps the same of an interrupted call: the attempt may be over by now. */
  public void brokenOff(Paid paid) {
    writeLate(numbered("unanswered-"), List.of(), paid);
  }

  private synchronized void writeLate(String name, List<JsonNode> events, Paid paid) {
    JournalEntry.StepFinished entry = step(name, RunJson.MAPPER.nullNode(), events, paid);
    journal.appendLate(entry);
    keep(entry);
  }

  /** Adds an event that goes with the next step or mark of this thread. */
  public synchronized void note(RunEvent event) {
    pending.add(json(event));
  }

  /** Writes down the noted events, before several threads take steps. */
  public void mark(String name) {
    if (takeStored(name) == null) {
      append(name, RunJson.MAPPER.nullNode(), List.of(), Paid.NOTHING);
    }
  }

  /** Returns a known step. The events before it are known as well. */
  private synchronized JournalEntry.@Nullable StepFinished takeStored(String name) {
    JournalEntry.StepFinished known = stored.get(prefix() + name);
    if (known != null) {
      pending.clear();
    }
    return known;
  }

  private <T> T read(JournalEntry.StepFinished step, Class<T> type) {
    try {
      return RunJson.MAPPER.readerFor(type).readValue(step.value());
    } catch (JacksonException e) {
      throw new UnreadableStepException(identity.ticket(), step.step(), e);
    }
  }

  /** Returns a new name in the ticket's journal: each failure is a step that has no value. */
  private synchronized String numbered(String kind) {
    String name;
    do {
      name = kind + ++faults;
    } while (stored.containsKey(prefix() + name));
    return name;
  }

  private synchronized void append(String name, JsonNode value, List<JsonNode> own, Paid paid) {
    List<JsonNode> events = new ArrayList<>(pending);
    events.addAll(own);
    write(name, value, events, paid);
    pending.clear();
  }

  private synchronized void write(String name, JsonNode value, List<JsonNode> events, Paid paid) {
    JournalEntry.StepFinished entry = step(name, value, events, paid);
    try {
      journal.append(List.of(entry));
    } catch (IllegalTransitionException e) {
      // A person may have taken the ticket meanwhile. The next attempt must not pay for it again.
      if (paid.target() != null) {
        journal.appendLate(entry);
      }
      throw e;
    }
    keep(entry);
  }

  private JournalEntry.StepFinished step(
      String name, JsonNode value, List<JsonNode> events, Paid paid) {
    return new JournalEntry.StepFinished(
        prefix() + name,
        value,
        events,
        paid.target(),
        paid.usage(),
        paid.costUsd(),
        elapsed().toMillis());
  }

  private void keep(JournalEntry.StepFinished entry) {
    stored.put(entry.step(), entry);
    spending = spending.plus(entry);
    trace.append(entry.events());
  }

  private ObjectNode json(RunEvent event) {
    return RunJson.event(event)
        .put("at", clocks.wall().instant().toString())
        .put("ticket", identity.ticket())
        .put("run", identity.name());
  }
}
