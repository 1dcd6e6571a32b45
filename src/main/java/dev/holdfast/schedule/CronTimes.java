package dev.holdfast.schedule;

import com.cronutils.model.time.ExecutionTime;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The times of a cron expression, all of them whole minutes, on a clock that is never changed, like
 * that of UTC. It takes a good part of a millisecond to find one, and each schedule shows ten. So
 * the last used times are kept, also for other schedules with this expression. Thread-safe.
 */
final class CronTimes {
  private static final int KEPT = 32;

  private final ExecutionTime times;
  private final Map<LocalDateTime, Optional<LocalDateTime>> next = lastUsed(KEPT);
  private final Map<LocalDateTime, Optional<LocalDateTime>> last = lastUsed(KEPT);

  CronTimes(ExecutionTime times) {
    this.times = times;
  }

  /** Returns the first time after that one. */
  Optional<LocalDateTime> next(LocalDateTime after) {
    return next.computeIfAbsent(
        after.truncatedTo(ChronoUnit.MINUTES),
        minute -> times.nextExecution(minute.atZone(ZoneOffset.UTC)).map(CronTimes::face));
  }

  /** Returns the last time before that one. */
  Optional<LocalDateTime> last(LocalDateTime end) {
    return last.computeIfAbsent(
        end.plusMinutes(1).minusNanos(1).truncatedTo(ChronoUnit.MINUTES),
        minute -> times.lastExecution(minute.atZone(ZoneOffset.UTC)).map(CronTimes::face));
  }

  private static LocalDateTime face(ZonedDateTime time) {
    return time.toLocalDateTime();
  }

  /**
   * Makes a thread-safe map. If it has more entries than this, it forgets the one that was used
   * longest ago.
   */
  static <K, V> Map<K, V> lastUsed(int most) {
    return Collections.synchronizedMap(
        new LinkedHashMap<>(16, 0.75f, true) {
          private static final long serialVersionUID = 1;

          @Override
          protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
            return size() > most;
          }
        });
  }
}
