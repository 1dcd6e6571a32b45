package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

@WithDatabase
@EverySetup
class ScheduleCommandIT {
  private final Cli cli;

  ScheduleCommandIT(TestDatabase database) {
    this.cli = Cli.on(database);
  }

  private Cli.Result schedule(String... arguments) {
    String[] line = new String[arguments.length + 1];
    line[0] = "schedule";
    System.arraycopy(arguments, 0, line, 1, arguments.length);
    return cli.run(line);
  }

  @Test
  @DisplayName("schedule put, list, show, pause, resume, run and delete")
  void whole() {
    assertThat(schedule("list").err()).contains("holdfast schedule put NAME");
    Cli.Result put =
        schedule(
            "put",
            "nightly",
            "--cron",
            "0 3 * * 1-5",
            "--zone",
            "Europe/Berlin",
            "--kind",
            "work",
            "--payload",
            "{\"a\": 1}",
            "--overlap",
            "skip");
    assertThat(put.err()).isEmpty();
    assertThat(put.out()).startsWith("nightly: next 20");
    JsonNode every = schedule("put", "sync", "--every", "15m", "--kind", "work", "--json").json();
    assertThat(every.get("every_ms").longValue()).isEqualTo(900_000);
    assertThat(every.get("catch_up").stringValue()).isEqualTo("last");

    assertThat(schedule("list").lines())
        .satisfiesExactly(
            head -> assertThat(head).startsWith("NAME"),
            first ->
                assertThat(first).contains("nightly", "0 3 * * 1-5 Europe/Berlin", "kind work"),
            second -> assertThat(second).contains("sync", "every 15m"));
    assertThat(schedule("list", "--json").json()).hasSize(2);
    Cli.Result shown = schedule("show", "nightly");
    assertThat(shown.out())
        .contains("overlap:   skip", "upcoming:", "{\"a\": 1}")
        .containsPattern("  20.*T0[12]:00:00Z, [A-Z][a-z]{2} 03:00 in Europe/Berlin\n")
        .doesNotContain("[");
    assertThat(schedule("show", "sync").out()).containsPattern("\n  20.*Z\n").doesNotContain("[");
    JsonNode json = schedule("show", "nightly", "--json").json();
    assertThat(json.get("upcoming")).hasSize(10);
    assertThat(json.get("payload").get("a").intValue()).isEqualTo(1);

    assertThat(schedule("pause", "nightly", "--by", "ann").out()).startsWith("paused nightly");
    assertThat(schedule("list").out()).contains("paused by ann");
    assertThat(schedule("resume", "nightly").out()).startsWith("resumed nightly");
    String id = schedule("run", "nightly").out().strip();
    assertThat(cli.run("show", id, "--json").json().get("title").stringValue())
        .isEqualTo("nightly");
    assertThat(schedule("run", "nightly", "--json").json().get("id").longValue())
        .isGreaterThan(Long.parseLong(id));
    assertThat(schedule("delete", "nightly").out()).startsWith("deleted nightly");
    assertThat(schedule("show", "nightly").code()).isEqualTo(3);
    assertThat(schedule("delete", "sync").code()).isZero();
  }

  @Test
  @DisplayName(
      "what cannot be a schedule is one line and exit code 2; what is not there exit code 3")
  void garbage() {
    for (String[] bad :
        new String[][] {
          {"put"},
          {"put", "x"},
          {"put", "x", "--every", "1h"},
          {"put", "x", "--cron", "@daily", "--every", "1h", "--kind", "work"},
          {"put", "x", "--cron", "at dawn", "--kind", "work"},
          {"put", "x", "--cron", "0 0 30 2 *", "--kind", "work"},
          {"put", "x", "--cron", "@daily", "--zone", "Mars/Base", "--kind", "work"},
          {"put", "x", "--every", "0s", "--kind", "work"},
          {"put", "x", "--every", "soon", "--kind", "work"},
          {"put", "x y", "--every", "1h", "--kind", "work"},
          {"put", "x", "--every", "1h", "--kind", "work", "--catch-up", "some"},
          {"put", "x", "--every", "1h", "--kind", "work", "--overlap", "no"},
          {"put", "x", "--every", "1h", "--kind", "work", "--payload", "{"},
          {"put", "x", "--every", "1h", "--kind", "work", "--queue", "no queue"},
        }) {
      Cli.Result result = schedule(bad);
      assertThat(result.code()).as("%s: %s", String.join(" ", bad), result.err()).isEqualTo(2);
      assertThat(result.err()).startsWith("holdfast: ").hasLineCount(1).doesNotContain("Exception");
    }
    assertThat(schedule("put", "x", "--every", "1h", "--design", "nobody").code()).isEqualTo(3);
    for (String action : new String[] {"show", "pause", "resume", "run", "delete"}) {
      Cli.Result result = schedule(action, "nobody");
      assertThat(result.code()).as(action).isEqualTo(3);
      assertThat(result.err()).contains("holdfast schedule list").hasLineCount(1);
    }
  }
}
