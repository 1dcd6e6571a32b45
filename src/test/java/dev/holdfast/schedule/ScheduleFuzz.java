package dev.holdfast.schedule;

import static dev.holdfast.fuzz.FuzzTarget.require;

import dev.holdfast.fuzz.FuzzTarget;
import dev.holdfast.ticket.InvalidInputException;
import java.time.Instant;
import java.util.List;

/** Cron expressions. Behind a bar stands the time zone. */
public final class ScheduleFuzz {
  private static final Instant SPRING = Instant.parse("2026-03-28T22:00:00Z");
  private static final int LONGEST_REFUSAL = 1_000;

  public static final FuzzTarget CRON = FuzzTarget.ofText("cron", ScheduleFuzz::cron);

  private ScheduleFuzz() {}

  private static void cron(String text) {
    int bar = text.lastIndexOf('|');
    String zone = bar < 0 ? "Europe/Berlin" : text.substring(bar + 1);
    Timetable timetable;
    try {
      timetable = Timetable.of(bar < 0 ? text : text.substring(0, bar), null, zone, SPRING);
    } catch (InvalidInputException e) {
      require(
          String.valueOf(e.getMessage()).length() <= LONGEST_REFUSAL,
          "a refusal is short: " + e.getMessage());
      return;
    }
    List<Instant> times = timetable.upcoming(SPRING, 5);
    Instant before = SPRING;
    for (Instant time : times) {
      require(time.isAfter(before), "times only go forward: " + times);
      require(
          timetable.last(time).filter(last -> !last.isAfter(time)).isPresent(),
          "a time that came is the last one or before it");
      before = time;
    }
  }
}
