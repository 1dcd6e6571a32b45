package dev.holdfast.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Types docs/start.md beside a worker, and runs the SQL of docs/operating.md. */
@Tag("slow")
@WithDatabase
@Timeout(180)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StartPageIT {
  private static final Pattern BLOCK = Pattern.compile("(?ms)^```(sh|sql)\\n(.*?)^```");

  private TestDatabase database;
  private TicketRows rows;
  private Path directory;
  @AutoClose private Installation holdfast;

  @BeforeAll
  void prepare(TestDatabase ofClass, @TempDir Path temporary) throws Exception {
    database = ofClass;
    directory = temporary;
    rows = new TicketRows(database.dataSource());
    holdfast = Installation.on(database, directory);
    holdfast.worker();
    Path launcher =
        Files.writeString(
            directory.resolve("holdfast"),
            "#!/bin/sh\nexec %s \"$@\"\n".formatted(Installation.shortCommand()));
    Files.setPosixFilePermissions(launcher, PosixFilePermissions.fromString("rwx------"));
  }

  private static Deque<MatchResult> blocks(String page) throws Exception {
    return new ArrayDeque<>(
        BLOCK.matcher(Files.readString(Path.of("docs", page))).results().toList());
  }

  /** What is typed in one shell, of which the blocks know each other's variables. */
  private String type(String script) throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder("bash", "-eu", "-c", script).directory(directory.toFile());
    builder.environment().put("HOLDFAST_DATABASE_URL", database.jdbcUrl());
    builder.environment().put("HOLDFAST_DATABASE_USER", database.user());
    builder.environment().put("HOLDFAST_DATABASE_PASSWORD", database.password());
    builder.redirectErrorStream(true);
    Process process = builder.start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes());
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(output).isZero();
    return output;
  }

  @Test
  @DisplayName(
      "22.14: what docs/start.md says can be typed: a ticket fails, is held, released with"
          + " guidance, reviewed and done")
  void start() throws Exception {
    Deque<MatchResult> blocks = blocks("start.md");
    type(blocks.remove().group(2));
    type(blocks.remove().group(2).replace("id=$(", "echo $("));
    long id = Long.parseLong(rows.value("SELECT max(id) FROM holdfast.tickets"));
    String known = "id=" + id + "\n";
    rows.awaitState(id, "on_hold");
    assertThat(type(known + blocks.remove().group(2)))
        .contains("orders.csv: No such file or directory", "system_error");
    assertThat(rows.outcomes(id)).containsExactly("failed", "failed");
    type(known + blocks.remove().group(2));
    rows.awaitState(id, "needs_review");
    assertThat(type(known + blocks.remove().group(2))).contains("412").contains("done");
    assertThat(rows.of(id, "state")).isEqualTo("done");
    for (MatchResult block : blocks) {
      assertThat(block.group(1)).isEqualTo("sql");
      run(block.group(2));
    }
    assertThat(rows.value("SELECT max(title) FROM holdfast.tickets"))
        .isEqualTo("orders of tuesday");
    HoldfastProcess console = holdfast.start("console", "--port", "0");
    console.awaitOutput(Pattern.compile("open http"));
    assertThat(console.get("/tickets").body()).contains("orders of tuesday");
  }

  @Test
  @DisplayName("22.14: every statement of the SQL cookbook runs, also where there is nothing")
  void cookbook() throws Exception {
    List<String> statements = new ArrayList<>();
    for (MatchResult block : blocks("operating.md")) {
      assertThat(block.group(1)).isEqualTo("sql");
      statements.addAll(run(block.group(2)));
    }
    assertThat(statements).hasSizeGreaterThan(12);
  }

  private List<String> run(String block) {
    List<String> statements =
        Arrays.stream(block.split(";\\n")).filter(each -> !each.isBlank()).toList();
    statements.forEach(rows::column);
    return statements;
  }
}
