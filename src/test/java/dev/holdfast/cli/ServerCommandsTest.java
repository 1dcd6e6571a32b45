package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.cli.output.Terminal;
import dev.holdfast.cli.root.HoldfastCommand;
import dev.holdfast.config.ConfigLoader;
import dev.holdfast.config.Settings;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The options of worker and demo; what runs is only noted. */
class ServerCommandsTest {
  private record Started(Settings settings, @Nullable Path embedded, boolean flag) {}

  private final List<Started> started = new ArrayList<>();
  private final StringWriter err = new StringWriter();

  private final Servers servers =
      new Servers() {
        @Override
        public int worker(
            Settings settings, @Nullable Path embedded, boolean console, Terminal terminal) {
          started.add(new Started(settings, embedded, console));
          return 0;
        }

        @Override
        public int console(Settings settings, Terminal terminal) {
          started.add(new Started(settings, null, true));
          return 0;
        }

        @Override
        public int demo(Settings settings, boolean exitWhenDone, Terminal terminal) {
          started.add(new Started(settings, null, exitWhenDone));
          return 0;
        }
      };

  private int run(String... arguments) {
    return runWith(Map.of("HOLDFAST_WORKER_CONCURRENCY", "5"), arguments);
  }

  private int runWith(Map<String, String> environment, String... arguments) {
    Terminal terminal =
        new Terminal(
            new PrintWriter(new StringWriter()),
            new PrintWriter(err),
            InputStream.nullInputStream(),
            InstantSource.system());
    HoldfastCommand root =
        new HoldfastCommand(
            terminal,
            new ConfigLoader(Path.of("no-such-directory"), environment),
            settings -> {
              throw new AssertionError("no one-shot backend is wanted");
            },
            "ann");
    return new Commands()
        .with("worker", each -> new WorkerCommand(each, servers))
        .with("demo", each -> new DemoCommand(each, servers))
        .run(root, arguments);
  }

  @Test
  @DisplayName("flags of worker beat the environment")
  void worker() {
    assertThat(
            run(
                "worker",
                "--queue",
                "a",
                "--queue",
                "b",
                "--concurrency",
                "7",
                "--port",
                "0",
                "--no-console"))
        .isZero();
    Started worker = started.getFirst();
    assertThat(worker.settings.worker().queues()).isEqualTo(Set.of("a", "b"));
    assertThat(worker.settings.worker().concurrency()).isEqualTo(7);
    assertThat(worker.settings.web().port()).isZero();
    assertThat(worker.embedded).isNull();
    assertThat(worker.flag).isFalse();
  }

  @Test
  @DisplayName("--embedded takes a directory, or the usual one")
  void embedded() {
    run("worker", "--embedded");
    run("worker", "--embedded=/data");
    assertThat(started)
        .extracting(Started::embedded)
        .containsExactly(Path.of(".holdfast/postgres"), Path.of("/data"));
    assertThat(started.getFirst().settings.worker().concurrency()).isEqualTo(5);
    assertThat(started.getFirst().flag).isTrue();
  }

  @Test
  @DisplayName("a worker with a database of its own says so where another is configured")
  void embeddedBesideConfigured() {
    Map<String, String> configured = Map.of("HOLDFAST_DATABASE_URL", "postgres://ann@db/jobs");
    assertThat(runWith(configured, "worker")).isZero();
    assertThat(err.toString()).isEmpty();
    assertThat(runWith(configured, "worker", "--embedded")).isZero();
    assertThat(err.toString())
        .hasLineCount(1)
        .contains("--embedded", "HOLDFAST_DATABASE_URL", "names another");
  }

  @Test
  @DisplayName("demo, to its end or until stopped")
  void demo() {
    run("demo");
    run("demo", "--exit-when-done");
    assertThat(started).extracting(Started::flag).containsExactly(false, true);
  }

  @Test
  @DisplayName("demo says in one line that it does not use the database that is configured")
  void demoBesideConfigured() {
    assertThat(run("demo")).isZero();
    assertThat(err.toString()).isEmpty();
    Map<String, String> configured =
        Map.of("HOLDFAST_DATABASE_URL", "postgres://ann:secret@db/jobs");
    assertThat(runWith(configured, "demo")).isZero();
    assertThat(err.toString())
        .hasLineCount(1)
        .contains("the demo", "HOLDFAST_DATABASE_URL", "is not touched")
        .doesNotContain("secret");
  }

  @Test
  @DisplayName("bad values are exit code 2 and one line each, and nothing starts")
  void garbage() {
    assertThat(run("worker", "--concurrency", "0")).isEqualTo(2);
    assertThat(run("worker", "--port", "70000")).isEqualTo(2);
    assertThat(run("worker", "--queue", "a b")).isEqualTo(2);
    assertThat(run("demo", "now")).isEqualTo(2);
    assertThat(err.toString())
        .hasLineCount(4)
        .contains("worker.concurrency", "web.port", "0 to 65535", "worker.queues");
    assertThat(started).isEmpty();
  }
}
