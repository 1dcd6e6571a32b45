package dev.holdfast.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.cli.Cli;
import dev.holdfast.testing.JavaCommand;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Each command that a page shows is typed by some test. Those of Holdfast are by {@code
 * TypedPagesIT} and the tests that it names; the others are typed here as far as this machine can:
 * what would need an engine or a cluster is typed at one that is not there, so that its own program
 * reads it, and what it names is looked for in our files. Those of docker are typed at a real
 * engine by {@code deploy/smoke.sh}, where there is one.
 */
@WithDatabase
@Tag("slow")
@Timeout(180)
class ShownCommandsIT {
  /** What is typed elsewhere, by the tests that do; "page" where those read the page itself. */
  private static final Map<String, String> ELSEWHERE =
      Map.of(
          "docs/api.md: (curl|AUTH=) .*|docs/api.md: AUTH=.*", "e2e/ApiPageIT docs/api.md",
          "docs/start.md: (cat > report.yaml|touch orders.csv).*", "e2e/StartPageIT start.md",
          "README.md: cat > .*", "cli/TypedPagesIT README.md",
          "docs/repair.md: cat .*jq 'select.*", "repair/TraceFileIT jq 'select(.type == ",
          "docs/examples/README.md: python3 \\S+/enqueue.py ann", "e2e/ExamplesIT enqueue.py",
          "docs/examples/README.md: sed .*./holdfast design put invoice .*",
              "e2e/ExamplesIT invoice",
          "docs/examples/README.md: ./holdfast (worker|migrate)",
              "e2e/ExamplesIT holdfast.worker()",
          "README.md: mvn verify", "cli/NamedInDocsTest mvn ");

  private static final Pattern VARIABLE = Pattern.compile("([A-Z_]+)=\\S+");
  private static final Pattern SECRET =
      Pattern.compile("\"(?:secretName|parameter\":\"password\",\"name)\":\"([^\"]+)\"");
  private static final Pattern PRINTED = Pattern.compile("printf '([^']*)' \\|\\n\\s*");

  /** What can be typed here, in the order in which it is looked for. */
  private final Map<Pattern, Check> checks = new LinkedHashMap<>();

  private final TestDatabase database;
  private final Cli cli;
  private String sources = "";
  @TempDir private Path directory;

  @FunctionalInterface
  interface Check {
    void of(String command, MatchResult parts) throws IOException, InterruptedException;
  }

  ShownCommandsIT(TestDatabase database) {
    this.database = database;
    this.cli = Cli.on(database);
  }

  @BeforeEach
  void prepare() throws IOException {
    sources = code(Path.of("src/main")) + code(Path.of("docs/examples"));
    when("export .*", (command, parts) -> variables(command));
    when("#!/bin/sh\\n.*", (command, parts) -> script(command));
    when(
        "psql .* -c '([^']+)'",
        (command, parts) -> new TicketDatabase(database).run(parts.group(1)));
    when(
        "psql -At \"\\$OLD\" -c \"(.+)\" \\| psql \"\\$NEW\"",
        (command, parts) -> sequences(parts.group(1)));
    when("java (-XX:AOTCache\\w*)=(\\S+) -jar holdfast.jar worker", this::cache);
    when(
        "printf .*docker compose run --rm -T holdfast design put slow --file /dev/stdin",
        (command, parts) -> {
          design(command);
          Engine.compose(PRINTED.matcher(command).replaceFirst(""));
        });
    when("docker compose .*", (command, parts) -> Engine.compose(command));
    when("docker kill CONTAINER", (command, parts) -> Engine.type(command));
    when("docker build .*", (command, parts) -> Engine.build(command));
    when("docker run .*", (command, parts) -> Engine.run(command, cli));
    when(
        "docker exec CONTAINER (.*)",
        (command, parts) -> Engine.exec(command, parts.group(1), cli));
    when("kubectl .*", (command, parts) -> new Cluster(directory).type(command));
    Host host = new Host(directory);
    when("(?:tar|ln|install) .*", (command, parts) -> host.type(command));
    when("useradd .*", (command, parts) -> host.user(command));
    when("apt install \\./(\\S+)", (command, parts) -> Host.isPackage(parts.group(1)));
    when("systemctl ([a-z-]+)(?: --now)?(?: (\\S+))?", (command, parts) -> Host.systemctl(parts));
    when("systemd-run (.*) holdfast migrate", (command, parts) -> Host.systemdRun(parts));
    when(
        "curl --fail http://127.0.0.1:8080(/\\S+)", (command, parts) -> Host.probe(parts.group(1)));
  }

  private static String code(Path directory) throws IOException {
    StringBuilder all = new StringBuilder();
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file :
          files.filter(each -> each.toString().matches(".*\\.(java|py|ts|go)")).toList()) {
        all.append(Files.readString(file));
      }
    }
    return all.toString();
  }

  private void when(String regex, Check check) {
    checks.put(Pattern.compile("(?s)" + regex), check);
  }

  @Test
  @DisplayName(
      "22.14: each command that a page shows is typed, by a test that is named or by this one")
  void all() throws Exception {
    TreeSet<String> nobodys = new TreeSet<>();
    int typed = 0;
    for (Shown shown : Shown.all()) {
      if (isTypedElsewhere(shown)) {
        continue;
      }
      if (isChecked(shown)) {
        typed++;
      } else {
        nobodys.add(shown.toString());
      }
    }
    assertThat(nobodys).as("commands that no test types").isEmpty();
    assertThat(typed).isGreaterThan(40);
  }

  /** By the first check that fits; false if none does. */
  private boolean isChecked(Shown shown) throws IOException, InterruptedException {
    for (Map.Entry<Pattern, Check> each : checks.entrySet()) {
      Matcher parts = each.getKey().matcher(shown.text());
      if (parts.matches()) {
        try {
          each.getValue().of(shown.text(), parts.toMatchResult());
        } catch (AssertionError e) {
          throw new AssertionError(shown.toString(), e);
        }
        return true;
      }
    }
    return false;
  }

  @Test
  @DisplayName(
      "22.14: each command of docker that a page shows is one that the smoke script types at a real"
          + " engine, where somebody has one")
  void smoke() throws Exception {
    Checker.Verdict list = Checker.run("bash", "deploy/smoke.sh", "--list");
    assertThat(list.good()).as(list.text()).isTrue();
    assertThat(Shown.all())
        .map(each -> each.text().replaceAll("\\s+", " "))
        .filteredOn(each -> each.matches("(?:.* \\| )?docker .*"))
        .hasSizeGreaterThan(10)
        .isSubsetOf(list.text().lines().toList());
    assertThat(list.text())
        .contains("docker run --security-opt ", "sandbox.compose.yaml", "monitoring.compose.yaml");
  }

  @Test
  @DisplayName(
      "22.14: a namespace is made before it is named, and has each Secret that is asked for")
  void namespace() throws IOException {
    String namespace = Kubernetes.PRODUCTION.kustomization().path("namespace").asString();
    List<String> typed = Shown.all().stream().map(Shown::text).toList();
    assertThat(typed.indexOf("kubectl create namespace " + namespace))
        .isNotNegative()
        .isLessThan(
            typed.indexOf(
                typed.stream().filter(each -> each.contains("--namespace")).findFirst().get()));
    String create = "kubectl --namespace " + namespace + " create secret generic ";
    String resources = Kubernetes.PRODUCTION.resources().toString();
    assertThat(SECRET.matcher(resources).results().map(each -> each.group(1)).distinct())
        .hasSize(3)
        .allSatisfy(
            each -> assertThat(typed).anyMatch(line -> line.startsWith(create + each + " ")));
  }

  @Test
  @DisplayName("22.14: a command that is new on a page is seen")
  void seen() {
    assertThat(
            Shown.commands(
                "a \\\n  --b  # why\ncat > f <<'END'\nno command\nEND\n# alone\nc; holdfast d\n"))
        .containsExactly("a --b", "cat > f <<'END'\nno command\nEND", "c", "holdfast d");
    assertThat(Shown.commands("$ holdfast a\nan answer\n")).containsExactly("holdfast a");
  }

  private static boolean isTypedElsewhere(Shown shown) throws IOException {
    if (shown.isOurs() && !shown.page().startsWith("docs/examples")) {
      return shown.page().matches("README.md|docs/[a-z]+.md");
    }
    for (Map.Entry<String, String> each : ELSEWHERE.entrySet()) {
      if (Pattern.compile("(?s)" + each.getKey()).matcher(shown.toString()).matches()) {
        String[] test = each.getValue().split(" ", 2);
        assertThat(Files.readString(Path.of("src/test/java/dev/holdfast", test[0] + ".java")))
            .as(shown.toString())
            .contains(test[1].replace("\"", "\\\""));
        return true;
      }
    }
    return false;
  }

  /** Ours are looked up by {@code NamedInDocsTest}. */
  private void variables(String command) {
    List<String> names = VARIABLE.matcher(command).results().map(each -> each.group(1)).toList();
    assertThat(names)
        .isNotEmpty()
        .allMatch(each -> each.startsWith("HOLDFAST_") || sources.contains(each));
  }

  /** The numbers go on behind those of what was deleted. */
  private void sequences(String select) {
    TicketDatabase tickets = new TicketDatabase(database);
    tickets.run("SELECT setval('holdfast.ticket_base_id_seq', 4711)");
    String move = query("SELECT string_agg(line, ' ') FROM (" + select + ") AS old (line)");
    tickets.run("SELECT setval('holdfast.ticket_base_id_seq', 1)");
    tickets.run(move);
    assertThat(query("SELECT nextval('holdfast.ticket_base_id_seq')")).isEqualTo("4712");
    assertThat(move).contains("lease_no_seq", "ticket_activity_id_seq");
  }

  private String query(String sql) {
    try {
      return Cli.query(database, sql);
    } catch (SQLException e) {
      throw new AssertionError(sql, e);
    }
  }

  /** The program of a ticket that a page shows: what it says of a good and of a bad payload. */
  private void script(String text) throws IOException, InterruptedException {
    if (!Checker.isInstalled("jq")) {
      return;
    }
    Path script = Files.writeString(directory.resolve("job.sh"), text);
    String run = "printf %%s '{\"payload\":%s}' | sh " + script + " 2> /dev/null";
    Checker.Verdict good = Checker.run("sh", "-c", run.formatted("{\"name\":\"ann\"}"));
    assertThat(good).isEqualTo(new Checker.Verdict(true, "{\"greeting\":\"hello ann\"}\n"));
    Checker.Verdict odd = Checker.run("sh", "-c", run.formatted("{\"name\":\"\\\"a\\\\b\"}"));
    assertThat(odd.text()).isEqualTo("{\"greeting\":\"hello \\\"a\\\\b\"}\n");
    Checker.Verdict bad = Checker.run("sh", "-c", run.formatted("{}"));
    assertThat(bad.good()).isFalse();
    assertThat(bad.text()).contains("\"category\":\"code_error\"");
  }

  /** Without the jar, which only a release has as one file. */
  private void cache(String command, MatchResult parts) throws IOException, InterruptedException {
    String java = JavaCommand.path("java");
    Path file = directory.resolve(parts.group(2));
    Checker.Verdict verdict =
        Checker.run("sh", "-c", java + " " + parts.group(1) + "=" + file + " -version");
    assertThat(verdict.good()).as(verdict.text()).isTrue();
    assertThat(verdict.text()).doesNotContain("warning", "rror");
    assertThat(file).exists();
  }

  private void design(String command) {
    Matcher printed = PRINTED.matcher(command);
    assertThat(printed.find()).isTrue();
    String yaml = printed.group(1).lines().collect(Collectors.joining("\n")).replace("\\n", "\n");
    Cli.Result put = cli.runWithInput(yaml, "design", "put", "slow", "--file", "-");
    assertThat(put.code()).as(put.err()).isZero();
  }
}
