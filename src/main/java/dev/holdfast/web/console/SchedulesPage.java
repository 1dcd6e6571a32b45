package dev.holdfast.web.console;

import dev.holdfast.schedule.Schedule;
import java.time.Instant;
import java.util.List;
import java.util.Locale;

/** The schedules with their next times. */
public record SchedulesPage(Page page, List<Schedule> schedules) {
  private static final int TIMES = 10;

  public SchedulesPage {
    schedules = List.copyOf(schedules);
  }

  /** Returns the next ten times. */
  public List<Instant> upcoming(Schedule schedule) {
    return schedule.upcoming(page.now(), TIMES);
  }

  /** Returns its rules for missed times and for a last ticket that has not ended. */
  public String rules(Schedule schedule) {
    return "catches up "
        + schedule.catchUp().name().toLowerCase(Locale.ROOT)
        + ", overlap "
        + schedule.overlap().name().toLowerCase(Locale.ROOT)
        + (schedule.skipped() == 0 ? "" : " (" + schedule.skipped() + " skipped)");
  }
}
