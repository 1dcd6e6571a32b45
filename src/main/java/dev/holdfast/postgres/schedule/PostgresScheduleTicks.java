package dev.holdfast.postgres.schedule;

import dev.holdfast.postgres.Transactions;
import dev.holdfast.postgres.schedule.DueSchedules.Due;
import dev.holdfast.postgres.schedule.DueSchedules.Locked;
import dev.holdfast.postgres.schedule.DueSchedules.Round;
import dev.holdfast.queue.DatabaseUnavailableException;
import dev.holdfast.queue.StatementRefusedException;
import dev.holdfast.queue.TicketBusyException;
import dev.holdfast.schedule.DueTimes;
import dev.holdfast.schedule.Overlap;
import dev.holdfast.schedule.Schedule;
import dev.holdfast.schedule.ScheduleTicks;
import dev.holdfast.schedule.Timetable;
import dev.holdfast.ticket.HoldfastException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the tickets of schedules, by the database's clock. A ticket and the step to the next time
 * are one transaction under the schedule's row lock. So each time makes one ticket however many
 * processes ask, and if a process dies, its half-made ticket is gone too. Thread-safe.
 */
public final class PostgresScheduleTicks implements ScheduleTicks {
  private static final Logger log = LoggerFactory.getLogger(PostgresScheduleTicks.class);

  /**
   * The number of times of one schedule in one round; after them other schedules get their turn.
   */
  private static final int ROUND = 100;

  /** The wait for a time that waits until the last ticket has ended. */
  private static final Duration LOOK_AGAIN = Duration.ofSeconds(1);

  private enum Step {
    AGAIN,
    WAIT,
    DONE
  }

  private final Transactions transactions;
  private final DueSchedules schedules;
  private final SetBackClock setBackClock;

  /** The database's words on schedules whose tickets it refuses; they are logged once. */
  private final Map<String, String> refused = new ConcurrentHashMap<>();

  public PostgresScheduleTicks(DataSource dataSource, String schema) {
    this(dataSource, schema, () -> Duration.ZERO);
  }

  /**
   * Makes one for tests, in which time passes faster.
   *
   * @param ahead how far the time of schedules is ahead of the database's clock
   */
  public PostgresScheduleTicks(DataSource dataSource, String schema, Supplier<Duration> ahead) {
    this.transactions = new Transactions(dataSource);
    this.schedules = new DueSchedules(schema, ahead);
    this.setBackClock = new SetBackClock(transactions, schedules);
  }

  @Override
  public Duration tick(Duration longest) {
    long start = System.nanoTime();
    boolean more = false;
    boolean waiting = false;
    for (Due due : transactions.runStatement(schedules::due)) {
      Step step = due.waits() ? Step.WAIT : Step.AGAIN;
      for (int i = 0; i < ROUND && step == Step.AGAIN; i++) {
        step = step(due.name());
      }
      more |= step == Step.AGAIN;
      waiting |= step == Step.WAIT;
    }
    if (more) {
      return Duration.ZERO;
    }
    Duration pause = untilNext(longest, start);
    return waiting && pause.compareTo(LOOK_AGAIN) > 0 ? LOOK_AGAIN : pause;
  }

  private Step step(String name) {
    AtomicReference<@Nullable Schedule> read = new AtomicReference<>();
    try {
      Step step =
          transactions.run(
              handle -> {
                Optional<Locked> locked = schedules.locked(handle, name, DueSchedules.DUE);
                read.set(locked.map(Locked::schedule).orElse(null));
                return locked.map(it -> step(handle, it)).orElse(Step.DONE);
              });
      refused.remove(name);
      return step;
    } catch (StatementRefusedException e) {
      String why = String.valueOf(e.getMessage());
      if (!why.equals(refused.put(name, why))) {
        log.warn("schedule {} makes no ticket now, it is tried again each round: {}", name, why);
      }
      return Step.DONE;
    } catch (DatabaseUnavailableException e) {
      throw e;
    } catch (TicketBusyException e) {
      return Step.WAIT;
    } catch (HoldfastException e) {
      Schedule failed = read.get();
      if (failed == null) {
        log.warn("schedule {} cannot be read, it is tried again each round", name, e);
      } else {
        giveUp(failed, String.valueOf(e.getMessage()));
      }
      return Step.DONE;
    }
  }

  private Step step(Handle handle, Locked locked) {
    if (setBackClock.mends(handle, locked)) {
      return Step.AGAIN;
    }
    Schedule schedule = locked.schedule();
    Timetable timetable = schedule.timetable();
    @Nullable Instant due = schedule.nextAt();
    if (due == null) {
      // A time that has come since it was put or resumed was not within a pause: it is made up for.
      @Nullable Instant next = timetable.next(schedule.updatedAt()).orElse(null);
      schedules.moveOn(handle, schedule.name(), timetable, next, 0);
      return Step.AGAIN;
    }
    if (due.isAfter(locked.now())) {
      schedules.moveOn(handle, schedule.name(), timetable, due, 0);
      return Step.DONE;
    }
    boolean busy = schedule.overlap() != Overlap.ALLOW && schedules.busy(handle, schedule.name());
    if (busy && schedule.overlap() == Overlap.QUEUE) {
      return Step.WAIT;
    }
    Optional<Instant> time =
        DueTimes.pick(
            timetable,
            schedule.catchUp(),
            due,
            schedules.waitedUntil(handle, schedule),
            locked.now());
    if (time.isEmpty()) {
      schedules.moveOn(
          handle, schedule.name(), timetable, timetable.next(locked.now()).orElse(null), 0);
      return Step.DONE;
    }
    @Nullable Instant next = timetable.next(time.get()).orElse(null);
    if (busy) {
      schedules.moveOn(handle, schedule.name(), timetable, next, 1);
      return Step.AGAIN;
    }
    long id = schedules.enqueue(handle, schedule.name(), time.get());
    schedules.moveOn(handle, schedule.name(), timetable, next, 0);
    log.info("schedule {} made ticket {} for {}", schedule.name(), id, time.get());
    return Step.AGAIN;
  }

  private void giveUp(Schedule schedule, String problem) {
    if (transactions.runStatement(handle -> schedules.giveUp(handle, schedule, problem))) {
      log.warn("schedule {} makes no tickets until it is put again: {}", schedule.name(), problem);
    }
  }

  /**
   * @param start when this round began, in {@link System#nanoTime}: schedules that came due since
   *     then are next
   */
  private Duration untilNext(Duration longest, long start) {
    Round round =
        transactions.runStatement(
            handle ->
                schedules.round(handle, longest, Duration.ofNanos(System.nanoTime() - start)));
    if (setBackClock.mendsAll(round.now())) {
      return Duration.ZERO;
    }
    // We round up: a time that is a millisecond away must not be looked for a thousand times.
    return Duration.ofMillis(Math.min(longest.toMillis(), (long) Math.ceil(round.millis())));
  }
}
