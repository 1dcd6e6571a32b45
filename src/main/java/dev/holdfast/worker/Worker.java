package dev.holdfast.worker;

import dev.holdfast.failure.Classifier;
import dev.holdfast.queue.ClaimRequest;
import dev.holdfast.queue.DatabaseUnavailableException;
import dev.holdfast.queue.Finish;
import dev.holdfast.queue.FinishResult;
import dev.holdfast.queue.TicketEvent;
import dev.holdfast.queue.TicketListener;
import dev.holdfast.queue.WorkerRegistry;
import dev.holdfast.ticket.ClaimedTicket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running worker: pollers, a virtual thread per ticket, completers, heartbeater, rescuer, pruner,
 * keeper of figures. Survives the database's absence for ever. Thread-safe; {@link #close} drains
 * and may be called more than once.
 */
public final class Worker implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Worker.class);
  private static final int PRUNE_BATCH = 1000;

  /** The time for claims that are under way when the worker is stopped. */
  private static final Duration LAST_CLAIM = Duration.ofSeconds(1);

  /** The time after the drain in which handlers heed the interrupt and their processes die. */
  private static final Duration LAST_WORDS = Duration.ofSeconds(3);

  /**
   * The end of that time, in which handlers are to be quick: their tickets may run elsewhere next.
   */
  private static final Duration HURRY = Duration.ofMillis(600);

  /**
   * The time in which the database takes what is left, and once more in which it learns that the
   * worker is gone.
   */
  private static final Duration LAST_WRITE = Duration.ofMillis(900);

  private final WorkerIdentity identity;
  private final WorkerPorts ports;
  private final Map<String, TicketHandler> handlers;
  private final Classifier classifier;
  private final FinishRedaction redaction;
  private final WorkerSettings settings;
  private final Events events;
  private final WorkerLeases book = new WorkerLeases();
  private final Slots slots;
  private final ClaimAllowance allowance;
  private final Completers completers;
  private final Heartbeater heartbeater;
  private final Outages outages;
  private final Fitness fitness;
  private final ServiceLoop heartbeats;
  private final ServiceLoop guards;

  /** The loops that end with the claims. */
  private final List<ServiceLoop> services = new ArrayList<>();

  private final Signal signal = new Signal();
  private final NotifiedClaim notifiedClaim;
  private final WakeUpSwitch wakeUpSwitch;
  private final List<Poller> pollers = new CopyOnWriteArrayList<>();
  private final List<Thread> pollerThreads = new ArrayList<>();
  private final ExecutorService stateWriter =
      Executors.newSingleThreadExecutor(
          Thread.ofPlatform().name("holdfast-state").daemon().factory());
  private volatile boolean draining;
  private boolean started;
  private boolean closed;

  /** Whether the thread that closes was interrupted meanwhile. */
  private boolean interrupted;

  /**
   * @param handlers by kind; at least one
   */
  public Worker(
      WorkerPorts ports,
      Map<String, TicketHandler> handlers,
      Classifier classifier,
      WorkerSettings settings,
      WorkerIdentity identity) {
    if (handlers.isEmpty()) {
      throw new IllegalArgumentException("a worker needs at least one handler");
    }
    this.ports = ports;
    this.handlers = Map.copyOf(handlers);
    this.classifier = classifier;
    this.redaction = new FinishRedaction(ports.secrets());
    this.settings = settings;
    this.identity = identity;
    this.slots = new Slots(settings.concurrency());
    this.fitness = new Fitness(slots, System::nanoTime);
    this.allowance = new ClaimAllowance(settings.room());
    this.heartbeater =
        new Heartbeater(
            ports.queue(), book, identity.id(), settings, this::pollNow, this::registerAgain);
    this.outages = new Outages(heartbeater::healthy, this::askDatabase);
    List<TicketListener> listeners = new ArrayList<>(ports.listeners());
    listeners.add(this::pollWhenDue);
    this.events = new Events(listeners);
    Rescuer rescuer = new Rescuer(ports.queue(), events, settings.rescueInterval());
    Duration afterError = Duration.ofSeconds(1);
    this.heartbeats = new ServiceLoop("heartbeat", afterError, heartbeater::beat);
    services.add(new ServiceLoop("rescue", afterError, rescuer::rescue));
    services.add(new ServiceLoop("figures", Duration.ofMinutes(1), ports.figures()));
    services.add(new ServiceLoop("batches", afterError, ports.batches()));
    if (!settings.retentionInterval().isZero()) {
      services.add(new ServiceLoop("prune", Duration.ofMinutes(1), this::prune));
    }
    this.guards = new ServiceLoop("guard", afterError, this::guard);
    this.notifiedClaim = new NotifiedClaim(slots, claimRound(), signal);
    this.wakeUpSwitch =
        new WakeUpSwitch(
            ports.registry(), identity.id(), heartbeats::wakeUp, signal, notifiedClaim);
    ResultStore store = new ResultStore(ports.queue());
    this.completers = new Completers(store, book, slots, events);
  }

  /**
   * Registers and begins to claim. If it fails after that, it closes itself, as {@link #close}
   * does.
   *
   * @throws DatabaseUnavailableException if the database cannot be reached now
   * @throws IllegalStateException if it was started or closed before
   */
  public synchronized Worker start() {
    if (started || closed) {
      throw new IllegalStateException(
          "this worker was %s before: make another one".formatted(started ? "started" : "closed"));
    }
    register();
    started = true;
    try {
      startThreads();
    } catch (RuntimeException | Error e) {
      // Nobody else could: who started it has nothing to close.
      closeAfter(e);
      throw e;
    }
    log.info(
        "worker {} runs {} with concurrency {}",
        identity.id(),
        handlers.keySet(),
        settings.concurrency());
    return this;
  }

  /**
   * Starts first what a close needs: if there is no thread for a later one, some may have claimed.
   */
  private void startThreads() {
    stateWriter.execute(() -> log.debug("worker {} starts", identity.id()));
    completers.start();
    ports.wakeUps().start(wakeUpSwitch);
    heartbeats.start();
    guards.start();
    services.forEach(ServiceLoop::start);
    for (int i = 1; i <= settings.pollers(); i++) {
      startPoller(i);
    }
  }

  private void closeAfter(Throwable failure) {
    try {
      close();
    } catch (RuntimeException | Error e) {
      failure.addSuppressed(e);
    }
  }

  private void register() {
    ports.registry().register(identity.registration(settings, handlers.keySet()));
  }

  /** Registers again: after a restore of the database nobody would see or notify this worker. */
  private void registerAgain() {
    if (!draining) {
      log.warn("worker {} is not in the table of workers any more; registering again", id());
      register();
    }
  }

  private void startPoller(int number) {
    Poller poller =
        new Poller(
            ports.queue(),
            slots,
            claimRound(),
            wakeUpSwitch,
            new PollWait(
                settings.pollInterval(),
                ports.wakeUps()::proven,
                () -> ThreadLocalRandom.current().nextDouble()));
    pollers.add(poller);
    pollerThreads.add(Thread.ofPlatform().name("holdfast-poll-" + number).daemon().start(poller));
  }

  private ClaimRound claimRound() {
    int batch = Math.min(settings.claimBatch(), settings.concurrency());
    ClaimRequest request =
        new ClaimRequest(
            identity.id(), handlers.keySet(), settings.queues(), batch, settings.lease());
    return new ClaimRound(ports.queue(), slots, new Starts(), this::mayClaim, allowance, request);
  }

  public String id() {
    return identity.id();
  }

  /** Returns the number of tickets under way in this process. */
  public int running() {
    return book.size();
  }

  /** Returns false while heartbeats fail: nothing is claimed then. */
  public boolean healthy() {
    return heartbeater.healthy();
  }

  /**
   * Returns why this worker claims nothing now although its heartbeats go on: its machine can work
   * no ticket, or claims fail. Empty if it claims. Anyone may read it, so the database's own words
   * are in the log only.
   */
  public Optional<String> trouble() {
    return fitness.trouble().or(this::failingClaims);
  }

  private Optional<String> failingClaims() {
    return pollers.stream().anyMatch(Poller::isFailing)
        ? Optional.of("claims fail; the worker's log says why")
        : Optional.empty();
  }

  private boolean mayClaim() {
    return heartbeater.healthy() && fitness.mayClaim();
  }

  /** Wakes pollers that found the worker unhealthy: otherwise they wait for their interval. */
  private void pollNow() {
    signal.give();
  }

  /**
   * Wakes a poller when a retry is due: nobody notifies of it, and a short delay could take long.
   */
  private void pollWhenDue(TicketEvent event) {
    if (event instanceof TicketEvent.RetryScheduled retry) {
      signal.giveIn(retry.delay());
    }
  }

  private final class Starts implements ClaimRound.Starter {
    /**
     * Starts the tickets of a claim. Usual tickets share one lease; a suspect has a lease of its
     * own.
     */
    @Override
    public void start(List<ClaimedTicket> tickets, long claimedNanos) {
      Tracing.Claim trace = trace(tickets, claimedNanos);
      Map<Long, List<TicketRun>> runs = new LinkedHashMap<>();
      for (ClaimedTicket each : tickets) {
        runs.computeIfAbsent(each.lease().no(), lease -> new ArrayList<>()).add(run(each, trace));
      }
      runs.forEach((lease, each) -> book.add(lease, each, claimedNanos).forEach(this::disown));
      for (List<TicketRun> underOneLease : runs.values()) {
        for (TicketRun run : underOneLease) {
          events.tell(new TicketEvent.Claimed(run.claimed()));
          run.start();
        }
        if (draining) {
          underOneLease.forEach(TicketRun::drain);
        }
      }
    }

    /**
     * Begins the trace. Tracing that throws would leave the tickets claimed, and nobody would run
     * them.
     */
    private Tracing.Claim trace(List<ClaimedTicket> tickets, long claimedNanos) {
      try {
        return ports.tracing().claimed(tickets, claimedNanos);
      } catch (Throwable e) {
        ForeignFailure.warn(
            log, "a claim of %s tickets could not be traced".formatted(tickets.size()), e);
        return ticket -> Tracing.Attempt.NONE;
      }
    }

    private void disown(TicketRun older) {
      log.error(
          "lease {} was given twice, as after a restore of the database: stopping its first"
              + " attempt of ticket {}, whose result is dropped",
          older.leaseNo(),
          older.ticketId());
      older.disown();
    }

    /**
     * Holds tickets that cannot be read. If this fails, their lease ends and they are claimed
     * again.
     */
    @Override
    public void hold(List<Finish.Failed> unreadable) {
      for (Finish.Failed each : unreadable) {
        FinishResult result =
            ports.queue().finish(List.of(each), Set.of(each.leaseNo())).getFirst();
        if (result instanceof FinishResult.Held held) {
          events.tell(FailureEvents.held(held, held.ofRetry(), false));
        }
      }
    }
  }

  private TicketRun run(ClaimedTicket ticket, Tracing.Claim trace) {
    TicketHandler handler =
        Objects.requireNonNull(
            handlers.get(ticket.ticket().kind()), "claimed a kind without a handler");
    return new TicketRun(
        ticket, handler, classifier, redaction, outages, fitness, trace, this::ended);
  }

  /** Sends a heartbeat without a lease, as an idle worker does. */
  private void askDatabase() {
    ports.queue().heartbeat(id(), Set.of(), settings.lease());
  }

  private void ended(TicketRun run) {
    allowance.ended(run.claimed());
    if (!(run.finish() instanceof Finish.GivenBack)) {
      fitness.worked();
    }
    completers.submit(run);
  }

  private Duration guard() {
    fitness.openAfterQuiet();
    return heartbeater.guard();
  }

  private Duration prune() {
    if (ports.pruner().prune(settings.retention(), PRUNE_BATCH) >= PRUNE_BATCH) {
      return Duration.ZERO;
    }
    ports.whenPruned().run();
    return settings.retentionInterval();
  }

  /**
   * Drains: claims nothing more, tells the running tickets' handlers, lets them finish within the
   * drain timeout while their leases are renewed, then gives the rest back without using up a retry
   * (A52). Returns within the timeout plus five seconds, whatever handlers and database do. If the
   * thread is interrupted, the drain timeout is over at once; the interrupt is kept.
   *
   * @throws IllegalStateException if a handler or a listener of this worker calls it: it would wait
   *     for its own end
   */
  @Override
  public void close() {
    if (book.runs().stream().anyMatch(TicketRun::isCurrentThread) || events.isTelling()) {
      throw new IllegalStateException(
          "a handler or a listener cannot close its own worker, which would wait for it: return"
              + " from it, and close the worker from another thread");
    }
    closeOnce();
  }

  private synchronized void closeOnce() {
    if (closed) {
      return;
    }
    closed = true;
    long deadline = System.nanoTime() + settings.drainTimeout().toNanos();
    try {
      stopClaiming();
      if (!drained(deadline)) {
        giveBack(Math.min(deadline, System.nanoTime()) + LAST_WORDS.toNanos());
      }
    } finally {
      stopServices();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void stopClaiming() {
    pollers.forEach(Poller::stop);
    notifiedClaim.stop();
    signal.give();
    slots.open();
    draining = true;
    book.runs().forEach(TicketRun::drain);
    stateWriter.execute(() -> update(WorkerRegistry.State.DRAINING));
    long deadline = System.nanoTime() + LAST_CLAIM.toNanos();
    for (Thread thread : pollerThreads) {
      await(deadline, nanos -> thread.join(Duration.ofNanos(nanos)));
    }
    await(deadline, notifiedClaim::join);
    log.info("worker {} drains {} tickets", identity.id(), running());
  }

  private boolean drained(long deadline) {
    try {
      // A person who interrupts a drain wants it short.
      return book.awaitEmpty(interrupted ? 0 : deadline - System.nanoTime());
    } catch (InterruptedException e) {
      interrupted = true;
      return false;
    }
  }

  /** Waits at most for a time. */
  private interface Wait {
    void atMost(long nanos) throws InterruptedException;
  }

  /**
   * Waits on after an interrupt: otherwise what runs would go on unguarded, and its result be lost.
   */
  private void await(long deadline, Wait wait) {
    while (true) {
      try {
        wait.atMost(Math.max(0, deadline - System.nanoTime()));
        return;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
  }

  private void giveBack(long deadline) {
    List<TicketRun> left = book.runs();
    log.info("giving {} tickets back", left.size());
    left.forEach(run -> run.stop(TicketRun.StopCause.DRAIN));
    await(deadline - HURRY.toNanos(), book::awaitEmpty);
    book.runs().forEach(TicketRun::hurry);
    await(deadline, book::awaitEmpty);
    book.runs().forEach(TicketRun::abandon);
  }

  private void stopServices() {
    services.forEach(ServiceLoop::stop);
    completers.stop();
    stateWriter.execute(() -> update(WorkerRegistry.State.STOPPED));
    stateWriter.shutdown();
    // This does not come after the state, which may wait for a connection: perhaps for the
    // listener's own.
    Thread listens = Thread.startVirtualThread(ports.wakeUps()::close);
    await(
        System.nanoTime() + LAST_WRITE.toNanos(),
        nanos -> completers.join(Duration.ofNanos(nanos)));
    heartbeater.stop();
    heartbeats.stop();
    guards.stop();
    awaitLastRounds(listens);
    log.info("worker {} stopped", identity.id());
  }

  /** Waits for the last rounds: the owner of the connections closes them next. */
  private void awaitLastRounds(Thread listens) {
    long deadline = System.nanoTime() + LAST_WRITE.toNanos();
    await(deadline, nanos -> listens.join(Duration.ofNanos(nanos)));
    await(deadline, nanos -> stateWriter.awaitTermination(nanos, TimeUnit.NANOSECONDS));
    await(deadline, nanos -> heartbeats.join(Duration.ofNanos(nanos)));
    for (ServiceLoop service : services) {
      await(deadline, nanos -> service.join(Duration.ofNanos(nanos)));
    }
  }

  private void update(WorkerRegistry.State state) {
    try {
      ports.registry().update(identity.id(), state);
    } catch (DatabaseUnavailableException e) {
      log.warn("the worker's state could not be stored: {}", e.getMessage());
    }
  }
}
