package dev.holdfast.schedule;

import com.cronutils.model.Cron;
import com.cronutils.model.definition.CronDefinition;
import com.cronutils.model.definition.CronDefinitionBuilder;
import com.cronutils.model.time.ExecutionTime;
import com.cronutils.parser.CronParser;
import dev.holdfast.ticket.InvalidInputException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A cron expression in a time zone. When the clock is set back, a time of the repeated hour comes
 * once, unless the expression leaves the hour open: then both hours count. When the clock is set
 * forward, a time that falls into the gap comes at the gap's end, so that a nightly job runs in
 * that night too; expressions that leave the hour open go on with the next hour.
 */
public final class CronTimetable implements Timetable {
  private static final CronParser PARSER = new CronParser(definition());

  private static final int LONGEST = 200;
  private static final int KEPT = 1_000;

  /**
   * The timetables that were used last: thousands of schedules may have the same one, and each
   * round reads it again.
   */
  private static final Map<Read, CronTimetable> KNOWN = CronTimes.lastUsed(KEPT);

  private static final Pattern CHARACTERS = Pattern.compile("[-A-Za-z0-9@*/,?# \\t]*");

  private record Read(String expression, ZoneId zone) {}

  private final CronTimes times;
  private final ZoneId zone;
  private final ZoneRules rules;
  private final boolean anyHour;

  private CronTimetable(CronTimes times, ZoneId zone, boolean anyHour) {
    this.times = times;
    this.zone = zone;
    this.rules = zone.getRules();
    this.anyHour = anyHour;
  }

  /** Defines the five fields of UNIX and the nicknames of cron(8). */
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
   * @throws InvalidInputException if it cannot be read or no time ever matches
   */
  static CronTimetable parse(String expression, ZoneId zone) {
    Read read = new Read(expression, zone);
    CronTimetable known = KNOWN.get(read);
    if (known == null) {
      // No lock is held, so nobody waits for it: the search for an expression that never comes is
      // long.
      known = parsed(expression, zone);
      KNOWN.put(read, known);
    }
    return known;
  }

  private static CronTimetable parsed(String expression, ZoneId zone) {
    if (expression.length() > LONGEST) {
      throw new InvalidInputException(
          "cron: longer than " + LONGEST + " characters; write it as two schedules");
    }
    if (!CHARACTERS.matcher(expression.strip()).matches()) {
      // The parser counts fields before and after it drops control characters.
      throw new InvalidInputException(
          "cron: it has characters other than letters, digits, spaces and * / , -; write minute,"
              + " hour, day of month, month, day of week, as in 0 3 * * 1-5");
    }
    try {
      Cron cron = PARSER.parse(expression.strip()).validate();
      String[] fields = cron.asString().split(" ");
      boolean anyHour = fields.length < 2 || fields[1].startsWith("*");
      CronTimetable timetable =
          new CronTimetable(new CronTimes(ExecutionTime.forCron(cron)), zone, anyHour);
      if (timetable.next(Instant.EPOCH).isEmpty()) {
        throw new InvalidInputException("cron: \"" + expression + "\" never comes");
      }
      return timetable;
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      // The parser's message for a range without its end, such as 1-/2, does not help.
      boolean unfinished = e instanceof IndexOutOfBoundsException;
      throw new InvalidInputException(
          ("cron: \"%s\" is none: %s; write minute, hour, day of month, month, day of"
                  + " week, as in 0 3 * * 1-5")
              .formatted(expression, unfinished ? "a field is not complete" : e.getMessage()));
    }
  }

  @Override
  public Optional<Instant> next(Instant after) {
    return anyHour ? nextOfAnyHour(after) : nextOfFixedHour(after);
  }

  @Override
  public Optional<Instant> last(Instant upTo) {
    return anyHour ? lastOfAnyHour(upTo) : lastOfFixedHour(upTo);
  }

  /**
   * Finds the next time of a fixed hour. A later time of the clock's face is never earlier here, so
   * the first one that is later counts.
   */
  private Optional<Instant> nextOfFixedHour(Instant after) {
    Optional<LocalDateTime> face = times.next(LocalDateTime.ofInstant(after, zone));
    while (face.filter(each -> !firstAt(each).isAfter(after)).isPresent()) {
      face = times.next(face.get());
    }
    return face.map(this::firstAt);
  }

  private Optional<Instant> lastOfFixedHour(Instant upTo) {
    LocalDateTime face = LocalDateTime.ofInstant(upTo, zone);
    boolean secondTime = firstAt(face).isBefore(upTo);
    // Every time of an hour that comes for the second time was there before.
    LocalDateTime end =
        secondTime ? rules.getTransition(face).getDateTimeBefore() : face.plusNanos(1);
    return times.last(end).map(this::firstAt);
  }

  /**
   * Returns when the clock shows it for the first time; for a time in a gap, the end of the gap.
   */
  private Instant firstAt(LocalDateTime face) {
    ZoneOffsetTransition change = rules.getTransition(face);
    return change != null && change.isGap()
        ? change.getInstant()
        : face.toInstant(rules.getValidOffsets(face).getFirst());
  }

  /** Looks from one change of the clock to the next: between them its face is like UTC's. */
  private Optional<Instant> nextOfAnyHour(Instant after) {
    ZoneOffset offset = rules.getOffset(after);
    Optional<LocalDateTime> face = times.next(LocalDateTime.ofInstant(after, offset));
    ZoneOffsetTransition change = rules.nextTransition(after);
    while (change != null && face.isPresent()) {
      if (face.get().isBefore(change.getDateTimeBefore())) {
        break;
      }
      offset = change.getOffsetAfter();
      face = times.next(change.getDateTimeAfter().minusNanos(1));
      change = rules.nextTransition(change.getInstant());
    }
    ZoneOffset found = offset;
    return face.map(each -> each.toInstant(found));
  }

  private Optional<Instant> lastOfAnyHour(Instant upTo) {
    ZoneOffset offset = rules.getOffset(upTo);
    Optional<LocalDateTime> face = times.last(LocalDateTime.ofInstant(upTo, offset).plusNanos(1));
    ZoneOffsetTransition change = rules.previousTransition(upTo.plusNanos(1));
    while (change != null && face.isPresent()) {
      if (!face.get().isBefore(change.getDateTimeAfter())) {
        break;
      }
      offset = change.getOffsetBefore();
      face = times.last(change.getDateTimeBefore());
      change = rules.previousTransition(change.getInstant());
    }
    ZoneOffset found = offset;
    return face.map(each -> each.toInstant(found));
  }
}
