package dev.holdfast.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The examples of docs/examples, as its README runs them; left out where their tools are not. */
@Tag("slow")
@WithDatabase
@Timeout(240)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ExamplesIT {
  /** As the README of the examples says it. */
  private static final String MODULE = "go mod init invoices && go get github.com/lib/pq";

  /**
   * Go's library takes no verifier with less than a thousand rounds, as the tests' own user has.
   */
  private final String user = "example_" + System.nanoTime();

  private record Ended(int exit, String stdout) {}

  private TestDatabase database;
  private TicketRows rows;
  private Path directory;
  @AutoClose private Installation holdfast;

  @BeforeAll
  void prepare(TestDatabase ofClass, @TempDir Path temporary) throws Exception {
    database = ofClass;
    directory = temporary;
    rows = new TicketRows(database.dataSource());
    rows.column(
        "CREATE TABLE public.orders (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, customer"
            + " text NOT NULL)");
    rows.column("CREATE ROLE " + user + " LOGIN PASSWORD 'e' IN ROLE " + database.user());
    // The second attempt is what counts, not the half minute before it.
    holdfast =
        Installation.on(database, directory)
            .with("HOLDFAST_RETRY_CATEGORIES_TRANSIENT_BASE_DELAY", "200ms");
    holdfast.worker();
  }

  @AfterAll
  void dropUser() {
    rows.column("DROP ROLE " + user);
  }

  @ParameterizedTest
  @ValueSource(strings = {"python", "typescript", "go"})
  @DisplayName(
      "22.11: an order and its ticket are written in one transaction or not at all, and the"
          + " program of the design works it, also at its second attempt")
  void example(String language) throws Exception {
    Path place = copy(language);
    List<String> enqueue = build(language, place);
    String design =
        Files.readString(place.resolve("design.yaml"))
            .replaceFirst("/srv/invoices.*", workingDirectory(language, place).toString());
    Files.writeString(directory.resolve("design.yaml"), design);
    holdfast.ok("design", "put", "invoice", "--file", "design.yaml");

    long usual = Long.parseLong(enqueued(place, enqueue, "ann"));
    long busy = Long.parseLong(enqueued(place, enqueue, "busy"));
    String tickets = rows.value("SELECT count(*) FROM holdfast.tickets");
    assertThat(run(place, with(enqueue, " ")).exit()).isNotZero();
    assertThat(rows.value("SELECT count(*) FROM holdfast.tickets")).isEqualTo(tickets);
    assertThat(rows.column("SELECT id FROM public.orders WHERE customer = ' '")).isEmpty();

    rows.awaitState(usual, "done");
    assertThat(rows.of(usual, "result->>'invoice'"))
        .isEqualTo(rows.of(usual, "'ann-' || (payload->>'order')"));
    rows.awaitState(busy, "done");
    assertThat(rows.attempts(busy, "outcome || ' ' || COALESCE(category, '')"))
        .containsExactly("failed transient", "succeeded ");
  }

  private String enqueued(Path place, List<String> enqueue, String customer) throws Exception {
    Ended ended = run(place, with(enqueue, customer));
    assertThat(ended.exit()).isZero();
    return ended.stdout().strip();
  }

  private Path copy(String language) throws IOException {
    Path from = Path.of("docs/examples", language);
    Path place = Files.createDirectories(directory.resolve(language));
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Path to = place.resolve(from.relativize(file).toString());
        Files.createDirectories(to.getParent());
        Files.copy(file, to);
      }
    }
    return place;
  }

  private static Path workingDirectory(String language, Path place) {
    return language.equals("go") ? place.resolve("worker") : place;
  }

  /** How it is started; what it needs is looked for first. */
  private List<String> build(String language, Path place) throws Exception {
    return switch (language) {
      case "python" -> {
        String python =
            Stream.of("python3", "/usr/bin/python3")
                .filter(each -> works(place, each, "-c", "import psycopg2"))
                .findFirst()
                .orElse("");
        assumeTrue(!python.isEmpty(), "no python3 with psycopg2");
        yield List.of(python, "enqueue.py");
      }
      case "typescript" -> {
        assumeTrue(works(place, "npm", "install", "--no-audit", "--no-fund"), "no npm packages");
        // To check what the libraries declare would take longer than the example.
        assertThat(run(place, List.of("npx", "tsc", "--skipLibCheck"))).isEqualTo(new Ended(0, ""));
        yield List.of("node", "enqueue.js");
      }
      default -> {
        if (!works(place, "sh", "-c", MODULE)) {
          Files.deleteIfExists(place.resolve("go.sum"));
          assumeTrue(works(place, "go", "list", "github.com/lib/pq"), "no go with lib/pq");
        }
        assertThat(run(place, List.of("go", "build", "-o", "worker/worker", "worker/worker.go")))
            .isEqualTo(new Ended(0, ""));
        yield List.of("go", "run", "enqueue/enqueue.go");
      }
    };
  }

  private static List<String> with(List<String> command, String argument) {
    List<String> all = new ArrayList<>(command);
    all.add(argument);
    return all;
  }

  private boolean works(Path place, String... command) {
    try {
      return run(place, List.of(command)).exit() == 0;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private Ended run(Path place, List<String> command) throws IOException, InterruptedException {
    Path out = Files.createTempFile(directory, "out", "");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(place.toFile())
            .redirectErrorStream(false)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .redirectOutput(out.toFile());
    Map<String, String> environment = builder.environment();
    environment.put("DATABASE_URL", url());
    environment.put("GOCACHE", directory.resolve("go-cache").toString());
    // A module that has been fetched is in go.sum; else the library is where Debian installs it.
    boolean modules = Files.exists(place.resolve("go.sum")) || command.contains(MODULE);
    environment.put("GOFLAGS", "-modcacherw");
    environment.put("GO111MODULE", modules ? "on" : "off");
    environment.put(
        "GOPATH", modules ? directory.resolve("go-path").toString() : "/usr/share/gocode");
    Process process = builder.start();
    if (!process.waitFor(180, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new AssertionError("still runs: " + command);
    }
    return new Ended(process.exitValue(), Files.readString(out));
  }

  private String url() {
    return database.jdbcUrl().replace("jdbc:postgresql://", "postgres://" + user + ":e@")
        + "?sslmode=disable";
  }
}
