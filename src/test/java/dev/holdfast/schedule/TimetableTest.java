package dev.holdfast.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ticket.InvalidInputException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("The times of a schedule")
class TimetableTest {
  private static Timetable cron(String expression, String zone) {
    return Timetable.of(expression, null, zone, Instant.EPOCH);
  }

  @ParameterizedTest(name = "{0} in {1} after {2}")
  @DisplayName(
      "both changes of the clock in zones of all kinds: no night is lost and none counts twice")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          # Berlin: 02:00 becomes 03:00; later 03:00 becomes 02:00
          30 2 * * *   | Europe/Berlin       | 2026-03-28T12:00:00Z | 2026-03-29T01:00:00Z 2026-03-30T00:30:00Z 2026-03-31T00:30:00Z
          30 2 * * *   | Europe/Berlin       | 2026-10-24T12:00:00Z | 2026-10-25T00:30:00Z 2026-10-26T01:30:00Z 2026-10-27T01:30:00Z
          0 3 * * *    | Europe/Berlin       | 2026-03-28T12:00:00Z | 2026-03-29T01:00:00Z 2026-03-30T01:00:00Z
          0,30 2 * * * | Europe/Berlin       | 2026-03-28T12:00:00Z | 2026-03-29T01:00:00Z 2026-03-30T00:00:00Z 2026-03-30T00:30:00Z
          30 * * * *   | Europe/Berlin       | 2026-10-24T23:00:00Z | 2026-10-24T23:30:00Z 2026-10-25T00:30:00Z 2026-10-25T01:30:00Z 2026-10-25T02:30:00Z
          30 * * * *   | Europe/Berlin       | 2026-03-29T00:00:00Z | 2026-03-29T00:30:00Z 2026-03-29T01:30:00Z
          */20 2 * * * | Europe/Berlin       | 2026-10-24T12:00:00Z | 2026-10-25T00:00:00Z 2026-10-25T00:20:00Z 2026-10-25T00:40:00Z 2026-10-26T01:00:00Z
          15 1-3 * * * | Europe/Berlin       | 2026-10-24T23:00:00Z | 2026-10-24T23:15:00Z 2026-10-25T00:15:00Z 2026-10-25T02:15:00Z
          */20 * * * * | Europe/Berlin       | 2026-10-25T00:30:00Z | 2026-10-25T00:40:00Z 2026-10-25T01:00:00Z 2026-10-25T01:20:00Z
          # New York: 02:00 becomes 03:00; later 02:00 becomes 01:00
          30 2 * * *   | America/New_York    | 2026-03-07T12:00:00Z | 2026-03-08T07:00:00Z 2026-03-09T06:30:00Z
          30 1 * * *   | America/New_York    | 2026-10-31T12:00:00Z | 2026-11-01T05:30:00Z 2026-11-02T06:30:00Z
          0 0 * * *    | America/New_York    | 2026-10-31T12:00:00Z | 2026-11-01T04:00:00Z 2026-11-02T05:00:00Z
          # Lord Howe: half an hour; 02:00 becomes 02:30; later 02:00 becomes 01:30
          15 2 * * *   | Australia/Lord_Howe | 2026-10-03T00:00:00Z | 2026-10-03T15:30:00Z 2026-10-04T15:15:00Z
          45 1 * * *   | Australia/Lord_Howe | 2026-04-04T00:00:00Z | 2026-04-04T14:45:00Z 2026-04-05T15:15:00Z
          30 2 * * *   | Australia/Lord_Howe | 2026-10-03T00:00:00Z | 2026-10-03T15:30:00Z 2026-10-04T15:30:00Z
          52 2 * * *   | Australia/Lord_Howe | 2026-10-03T00:00:00Z | 2026-10-03T15:52:00Z 2026-10-04T15:52:00Z
          # Chatham: 02:45 becomes 03:45
          0 2 * * 0    | Pacific/Chatham     | 2027-09-25T00:00:00Z | 2027-09-25T13:15:00Z 2027-10-02T12:15:00Z
          # Havana: 01:00 becomes 00:00
          0 */6 * * *  | America/Havana      | 2026-10-31T23:00:00Z | 2026-11-01T04:00:00Z 2026-11-01T05:00:00Z 2026-11-01T11:00:00Z
          # Beirut: 00:00 becomes 01:00
          0 */6 */4 * * | Asia/Beirut        | 2025-03-29T20:00:00Z | 2025-03-31T21:00:00Z 2025-04-01T03:00:00Z
          """)
  void clockChanges(String expression, String zone, String after, String times) {
    List<Instant> expected = List.of(times.split(" ")).stream().map(Instant::parse).toList();
    Timetable timetable = cron(expression, zone);
    assertThat(timetable.upcoming(Instant.parse(after), expected.size())).isEqualTo(expected);
    for (Instant time : expected) {
      assertThat(timetable.last(time)).contains(time);
      assertThat(timetable.last(time.plusSeconds(59))).contains(time);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"30 2 * * *", "10,30 2 * * *", "*/30 1-2 * * *"})
  @DisplayName("in the hour that is there twice, the last time is that of the first")
  void lastInSecondHour(String expression) {
    assertThat(cron(expression, "Europe/Berlin").last(Instant.parse("2026-10-25T01:45:00Z")))
        .contains(Instant.parse("2026-10-25T00:30:00Z"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"30 2 * * *", "0 3 * * 1-5", "*/7 * * * *", "@daily", "0 0 29 2 *"})
  @DisplayName("the last time up to a moment is the one whose next is after it, all year round")
  void lastIsBeforeNext(String expression) {
    Timetable timetable = cron(expression, "Europe/Berlin");
    Instant moment = Instant.parse("2028-03-01T00:00:00Z");
    for (int i = 0; i < 400; i++) {
      moment = moment.plus(Duration.ofMinutes(1327));
      Instant last = timetable.last(moment).orElseThrow();
      assertThat(last).isBeforeOrEqualTo(moment);
      assertThat(timetable.next(last).orElseThrow()).isAfter(moment);
    }
  }

  @Test
  @DisplayName("weekdays, leap days, nicknames")
  void plain() {
    Instant friday = Instant.parse("2026-11-27T04:00:00Z");
    assertThat(cron("0 3 * * 1-5", "UTC").next(friday))
        .contains(Instant.parse("2026-11-30T03:00:00Z"));
    assertThat(cron("0 3 * * MON-FRI", "UTC").next(friday))
        .contains(Instant.parse("2026-11-30T03:00:00Z"));
    assertThat(cron("0 0 * * 7", "UTC").next(friday))
        .contains(Instant.parse("2026-11-29T00:00:00Z"));
    assertThat(cron("0 0 29 2 *", "UTC").next(friday))
        .contains(Instant.parse("2028-02-29T00:00:00Z"));
    assertThat(cron("@daily", "Asia/Kathmandu").next(friday))
        .contains(Instant.parse("2026-11-27T18:15:00Z"));
    assertThat(cron("@weekly", "UTC").next(friday)).contains(Instant.parse("2026-11-29T00:00:00Z"));
    assertThat(cron("  0 3 * * *  ", "+02:00").next(friday))
        .contains(Instant.parse("2026-11-28T01:00:00Z"));
  }

  @Test
  @DisplayName("intervals are counted from their anchor, not from when somebody looks")
  void intervals() {
    Instant anchor = Instant.parse("2026-11-27T00:00:10Z");
    Timetable every = Timetable.of(null, Duration.ofMinutes(15), "UTC", anchor);
    assertThat(every.next(anchor)).contains(anchor.plusSeconds(900));
    assertThat(every.next(anchor.plusSeconds(899))).contains(anchor.plusSeconds(900));
    assertThat(every.next(anchor.plusSeconds(900))).contains(anchor.plusSeconds(1800));
    assertThat(every.next(anchor.minusSeconds(5000))).contains(anchor.plusSeconds(900));
    assertThat(every.last(anchor.plusSeconds(899))).isEmpty();
    assertThat(every.last(anchor.plusSeconds(1799))).contains(anchor.plusSeconds(900));
  }

  @ParameterizedTest(name = "\"{0}\"")
  @DisplayName("what is no cron expression, or never comes, is refused in words")
  @ValueSource(
      strings = {
        "",
        " ",
        "* * *",
        "61 * * * *",
        "0 24 * * *",
        "0 0 30 2 *",
        "0 0 31 4,6 *",
        "*/0 * * * *",
        "0 0 0 1 1 *",
        "0 12 L * *",
        "@fortnightly",
        "every day",
        "0 3 * * 1-5; DROP TABLE tickets",
        "\u0000",
        "-1 * * * *",
        "99999999999999999999 * * * *"
      })
  void refused(String expression) {
    assertThatThrownBy(() -> cron(expression, "UTC"))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageStartingWith("cron: ");
  }

  @Test
  @DisplayName("a zone that is not there, an interval of nothing and two rhythms are refused")
  void refusedToo() {
    for (String zone : new String[] {"Europe/Atlantis", "", "CET+25", "\u0000"}) {
      assertThatThrownBy(() -> cron("0 3 * * *", zone))
          .isInstanceOf(InvalidInputException.class)
          .hasMessageContaining("no time zone");
      assertThatThrownBy(() -> Timetable.of(null, Duration.ofHours(1), zone, Instant.EPOCH))
          .isInstanceOf(InvalidInputException.class)
          .hasMessageContaining("no time zone");
    }
    assertRefused(null, Duration.ZERO);
    assertRefused(null, Duration.ofMillis(999));
    assertRefused(null, Duration.ofHours(-1));
    assertRefused(null, null);
    assertRefused("@daily", Duration.ofHours(1));
  }

  private static void assertRefused(@Nullable String cron, @Nullable Duration every) {
    assertThatThrownBy(() -> Timetable.of(cron, every, "UTC", Instant.EPOCH))
        .isInstanceOf(InvalidInputException.class);
  }

  @Test
  @DisplayName(
      "the next ten times of ten thousand schedules of one expression are worked out in a moment")
  void manyOfOneExpression() {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    Instant now = Instant.parse("2026-11-30T20:00:01.5Z");
    long start = threads.getCurrentThreadCpuTime();
    for (int i = 0; i < 10_000; i++) {
      Timetable nightly = cron("7 3 * * 1-5", "Europe/Berlin");
      assertThat(nightly.upcoming(now.plusMillis(i), 10)).hasSize(10);
      assertThat(nightly.last(now.plusMillis(i))).isPresent();
    }
    assertThat(Duration.ofNanos(threads.getCurrentThreadCpuTime() - start))
        .isLessThan(Duration.ofSeconds(3));
  }

  @ParameterizedTest
  @DisplayName(
      "a part of a minute belongs to it: the next time is after it, the last one is within")
  @ValueSource(strings = {"20:07:00Z", "20:07:00.000000001Z", "20:07:59.999999999Z"})
  void partOfAMinute(String time) {
    Timetable hourly = cron("7 * * * *", "UTC");
    Instant now = Instant.parse("2026-11-30T" + time);
    assertThat(hourly.last(now)).contains(Instant.parse("2026-11-30T20:07:00Z"));
    assertThat(hourly.next(now)).contains(Instant.parse("2026-11-30T21:07:00Z"));
    Instant before = Instant.parse("2026-11-30T20:06:59.999999999Z");
    assertThat(hourly.last(before)).contains(Instant.parse("2026-11-30T19:07:00Z"));
    assertThat(hourly.next(before)).contains(Instant.parse("2026-11-30T20:07:00Z"));
  }

  @Test
  @DisplayName("after a two-day outage: none, the last or all of the times are made up for")
  void catchUp() {
    Timetable hourly = cron("@hourly", "UTC");
    Instant due = Instant.parse("2026-11-21T05:00:00Z");
    Instant now = Instant.parse("2026-11-23T05:30:00Z");
    Instant last = Instant.parse("2026-11-23T05:00:00Z");
    assertThat(DueTimes.pick(hourly, CatchUp.ALL, due, Instant.EPOCH, now)).contains(due);
    assertThat(DueTimes.pick(hourly, CatchUp.LAST, due, Instant.EPOCH, now)).contains(last);
    assertThat(DueTimes.pick(hourly, CatchUp.NONE, due, Instant.EPOCH, now)).isEmpty();
    assertThat(DueTimes.pick(hourly, CatchUp.NONE, due, Instant.EPOCH, last.plusSeconds(30)))
        .contains(last);
    assertThat(DueTimes.pick(hourly, CatchUp.NONE, last, Instant.EPOCH, last.plusMillis(3)))
        .contains(last);
  }
}
