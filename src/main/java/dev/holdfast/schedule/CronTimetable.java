package dev.holdfast.schedule;

import com.cronutils.model.Cron;
import com.cronutils.model.definition.CronDefinition;
import com.cronutils.model.definition.CronDefinitionBuilder;
import com.cronutils.model.time.ExecutionTime;
import com.cronutils.parser.CronParser;
import dev.holdfast.ticket.InvalidTicketException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.zone.ZoneOffsetTransition;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A cron expression in a time zone. Where the clock is set back, a time of the repeated hour comes
 * once, unless the expression leaves the hour open: then both hours count. Where the clock is set
 * forward, a time that falls into the gap comes at the gap's end, so that a nightly job runs in
 * that night too; expressions that leave the hour open go on with the next hour.
 */
public final class CronTimetable implements Timetable {
  private static final CronParser PARSER = new CronParser(definition());

  private static final int LONGEST = 200;
  private static final Pattern CHARACTERS = Pattern.compile("[-A-Za-z0-9@*/,?# \\t]*");

  private final ExecutionTime times;
  private final ZoneId zone;
  private final boolean anyHour;

  private CronTimetable(ExecutionTime times, ZoneId zone, boolean anyHour) {
    this.times = times;
    this.zone = zone;
    this.anyHour = anyHour;
  }

  /** The five fields of UNIX, and the nicknames of cron(8). */
  private static CronDefinition definition() {
    return CronDefinitionBuilder.defineCron()
        .withMinutes()
        .withStrictRange()
        .and()
        .withHours()
        .withStrictRange()
        .and()
        .withDayOfMonth()
        .withStrictRange()
        .and()
        .withMonth()
        .withStrictRange()
        .and()
        .withDayOfWeek()
        .withValidRange(0, 7)
        .withMondayDoWValue(1)
        .withIntMapping(7, 0)
        .withStrictRange()
        .and()
        .withSupportedNicknameHourly()
        .withSupportedNicknameDaily()
        .withSupportedNicknameMidnight()
        .withSupportedNicknameWeekly()
        .withSupportedNicknameMonthly()
        .withSupportedNicknameYearly()
        .withSupportedNicknameAnnually()
        .instance();
  }

  /**
   * @throws InvalidTicketException if it cannot be read or no time ever matches
   */
  static CronTimetable parse(String expression, ZoneId zone) {
    if (expression.length() > LONGEST) {
      throw new InvalidTicketException(
          "cron: longer than " + LONGEST + " characters; write it as two schedules");
    }
    if (!CHARACTERS.matcher(expression.strip()).matches()) {
      // The parser counts fields before and after it drops characters of control.
      throw new InvalidTicketException(
          "cron: it has characters other than letters, digits, spaces and * / , -; write minute,"
              + " hour, day of month, month, day of week, as in 0 3 * * 1-5");
    }
    try {
      Cron cron = PARSER.parse(expression.strip()).validate();
      String[] fields = cron.asString().split(" ");
      boolean anyHour = fields.length < 2 || fields[1].startsWith("*");
      CronTimetable timetable = new CronTimetable(ExecutionTime.forCron(cron), zone, anyHour);
      if (timetable.next(Instant.EPOCH).isEmpty()) {
        throw new InvalidTicketException("cron: \"" + expression + "\" never comes");
      }
      return timetable;
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      // The parser's words for a range without its end, such as 1-/2, say nothing.
      boolean unfinished = e instanceof IndexOutOfBoundsException;
      throw new InvalidTicketException(
          ("cron: \"%s\" is none: %s; write minute, hour, day of month, month, day of"
                  + " week, as in 0 3 * * 1-5")
              .formatted(expression, unfinished ? "a field is not complete" : e.getMessage()));
    }
  }

  @Override
  public Optional<Instant> next(Instant after) {
    Optional<ZonedDateTime> found = times.nextExecution(at(after));
    while (found.filter(this::isRepeated).isPresent()) {
      found = times.nextExecution(found.get());
    }
    Optional<Instant> regular = found.map(ZonedDateTime::toInstant);
    if (anyHour || regular.isEmpty()) {
      return regular;
    }
    ZoneOffsetTransition change = zone.getRules().nextTransition(after);
    while (change != null && change.getInstant().isBefore(regular.get())) {
      if (swallows(change)) {
        return Optional.of(change.getInstant());
      }
      change = zone.getRules().nextTransition(change.getInstant());
    }
    return regular;
  }

  @Override
  public Optional<Instant> last(Instant upTo) {
    Optional<ZonedDateTime> found = times.lastExecution(at(upTo.plusNanos(1)));
    while (found.filter(this::isRepeated).isPresent()) {
      found = times.lastExecution(found.get());
    }
    Optional<Instant> last = found.map(ZonedDateTime::toInstant);
    if (anyHour || last.isEmpty()) {
      return last;
    }
    ZoneOffsetTransition change = zone.getRules().nextTransition(last.get());
    while (change != null && !change.getInstant().isAfter(upTo)) {
      if (swallows(change)) {
        last = Optional.of(change.getInstant());
      }
      change = zone.getRules().nextTransition(change.getInstant());
    }
    return last;
  }

  /** True for a fixed hour that comes the second time. */
  private boolean isRepeated(ZonedDateTime time) {
    return !anyHour && !time.isEqual(time.withEarlierOffsetAtOverlap());
  }

  private ZonedDateTime at(Instant instant) {
    return instant.atZone(zone);
  }

  /** True if a time falls into the gap that a change of the clock makes. */
  private boolean swallows(ZoneOffsetTransition change) {
    if (!change.isGap()) {
      return false;
    }
    LocalDateTime before = change.getDateTimeBefore();
    // Without changes of the clock, as in UTC, the hour is there.
    return times
        .nextExecution(before.minusNanos(1).atZone(ZoneOffset.UTC))
        .filter(next -> next.toLocalDateTime().isBefore(change.getDateTimeAfter()))
        .isPresent();
  }
}
