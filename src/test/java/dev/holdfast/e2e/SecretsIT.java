package dev.holdfast.e2e;

import static dev.holdfast.testing.ModelBehaviour.answer;
import static dev.holdfast.testing.ModelBehaviour.choose;
import static dev.holdfast.testing.ModelBehaviour.error;
import static dev.holdfast.testing.ModelBehaviour.toolCall;
import static org.assertj.core.api.Assertions.assertThat;

import com.icegreen.greenmail.util.GreenMail;
import com.icegreen.greenmail.util.GreenMailUtil;
import com.icegreen.greenmail.util.ServerSetup;
import com.sun.net.httpserver.HttpServer;
import dev.holdfast.testing.JavaCommand;
import dev.holdfast.testing.ModelServer;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.tool.mcp.FakeMcp;
import jakarta.mail.internet.MimeMessage;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** Secrets are planted in a worker process, and every kind of job tries to get them out. */
@Tag("slow")
@WithDatabase
@Timeout(240)
@EnabledOnOs(OS.LINUX)
class SecretsIT {
  /** What any program of any job can look at, and a secret that it got hold of all the same. */
  private static final String SPY =
      """
      for p in /proc/[0-9]*; do echo $p; cat $p/environ $p/cmdline; done 2>/dev/null > seen
      cat key.txt; echo; base64 -w 0 key.txt; echo
      """;

  private final String mark = Long.toHexString(System.nanoTime());
  private final String key = "sk-canary+" + mark + "/\"key";
  private final String token = "canary-token-" + mark;
  private final String signing = "canary-signing-" + mark;
  private final String mailPassword = "canary-mail-" + mark;
  private final String stray = "canary-stray-" + mark;
  private final TestDatabase database;
  private final TicketRows rows;
  private final List<String> posted = new CopyOnWriteArrayList<>();
  private final List<String> shown = new ArrayList<>();
  private HttpServer receiver;
  @TempDir private Path directory;
  @AutoClose private final ModelServer models = ModelServer.start();
  @AutoClose private final TraceReceiver spans = TraceReceiver.start();
  private final GreenMail mails =
      new GreenMail(new ServerSetup(0, "127.0.0.1", ServerSetup.PROTOCOL_SMTP));
  @AutoClose private Installation holdfast;

  SecretsIT(TestDatabase database) throws Exception {
    this.database = database;
    this.rows = new TicketRows(database.dataSource());
  }

  @BeforeEach
  void plant() throws Exception {
    new TicketDatabase(database).run("DELETE FROM holdfast.provider_cooldowns");
    receiver = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    receiver.createContext(
        "/",
        exchange -> {
          posted.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
          exchange.sendResponseHeaders(204, -1);
          exchange.close();
        });
    receiver.start();
    mails.setUser("worker@example.org", "worker", mailPassword);
    mails.start();
    holdfast =
        Installation.on(database, directory)
            .with("OPENAI_API_KEY", key)
            .with("HOLDFAST_PROVIDERS_OPENAI_BASE_URL", models.openAiUrl())
            .with("HOLDFAST_WEB_TOKENS", "operator/ann:" + token)
            .with("HOLDFAST_WEBHOOKS_URL", "http://127.0.0.1:" + receiver.getAddress().getPort())
            .with("HOLDFAST_WEBHOOKS_GROUP_WAIT", "0s")
            .with("HOLDFAST_WEBHOOKS_SECRET", signing)
            .with("HOLDFAST_MAIL_SERVER", "smtp://127.0.0.1:" + mails.getSmtp().getPort())
            .with("HOLDFAST_MAIL_FROM", "worker@example.org")
            .with("HOLDFAST_MAIL_TO", "ann@example.org")
            .with("HOLDFAST_MAIL_USER", "worker")
            .with("HOLDFAST_MAIL_PASSWORD", mailPassword)
            .with("OTEL_EXPORTER_OTLP_ENDPOINT", spans.endpoint())
            .with("SOME_OTHER_TOKEN", stray)
            .with("HOLDFAST_SESSION_RETRY_BASE_DELAY", "100ms");
    Path kit = Files.createDirectories(directory.resolve("kit"));
    Files.writeString(kit.resolve("spy.sh"), SPY);
    Files.writeString(kit.resolve("key.txt"), key);
    FakeMcp.copyTo(kit);
  }

  @AfterEach
  void stop() {
    receiver.stop(0);
    mails.stop();
  }

  private void put(String name, Map<String, Object> design) throws Exception {
    Path file = directory.resolve(name + ".json");
    Files.writeString(file, JsonMapper.shared().writeValueAsString(design));
    holdfast.ok("design", "put", name, "--file", file.toString());
  }

  private long ticket(String design) {
    return rows.enqueue(design, "secrets");
  }

  private Map<String, Object> command(String script) {
    return Map.of(
        "kind",
        "command",
        "review",
        "none",
        "directory",
        directory.resolve("kit").toString(),
        "command",
        List.of("/bin/sh", "-c", script));
  }

  private Map<String, Object> agent() {
    return agent("openai", "gpt-a");
  }

  private Map<String, Object> agent(String provider, String model) {
    String spyingServer =
        "sh spy.sh > said; mv seen seen-by-mcp; exec '%s' -cp . dev.holdfast.tool.mcp.FakeMcp good"
            .formatted(JavaCommand.path("java"));
    Map<String, Object> design = new HashMap<>();
    design.put("kind", "agent");
    design.put("targets", List.of(Map.of("provider", provider, "model", model)));
    design.put("tools", List.of("run_command", "read_file"));
    design.put("mcp", Map.of("fake", Map.of("command", List.of("/bin/sh", "-c", spyingServer))));
    design.put("workspace", Map.of("copy_from", directory.resolve("kit").toString()));
    return design;
  }

  private Map<String, Object> repair() throws Exception {
    Path project = Files.createDirectories(directory.resolve("project"));
    Files.writeString(project.resolve("spy.sh"), SPY);
    Files.writeString(project.resolve("key.txt"), key);
    BrokenProject.git(project, "init", "-q", "-b", "main");
    BrokenProject.git(project, "add", "-A");
    BrokenProject.git(project, "commit", "-q", "-m", "The project");
    return Map.of(
        "kind", "repair",
        "repository", Map.of("path", project.toString(), "ref", "main"),
        "goal", "Make the check pass.",
        "verify",
            List.of(Map.of("name", "check", "command", List.of("sh", "-c", "sh spy.sh; exit 1"))),
        "targets", List.of(Map.of("provider", "openai", "model", "gpt-r")),
        "limits", Map.of("max_iterations", 1),
        "on_approve", "merge");
  }

  private static String edit(String path, String search, String replace) {
    return "%s\n<<<<<<< SEARCH\n%s\n=======\n%s\n>>>>>>> REPLACE\n"
        .formatted(path, search, replace);
  }

  private Map<String, Object> adds() {
    Map<String, Object> design = new HashMap<>(command(ADDITION));
    design.put("may_enqueue", List.of("wonders"));
    return design;
  }

  /** What one step finds is in the payload of another one and in the form that a person sees. */
  private static Map<String, Object> flow() {
    return Map.of(
        "kind",
        "workflow",
        "steps",
        Map.of(
            "find",
            Map.of("design", "tells"),
            "use",
            Map.of(
                "design", "fails",
                "after", List.of("find"),
                "payload", Map.of("key", "${results.find.key}")),
            "confirm",
            Map.of(
                "kind",
                "human",
                "after",
                List.of("find"),
                "ask",
                "Is it ${results.find.key}?",
                "form",
                Map.of("type", "object"))));
  }

  /** Every way in which one of the secrets might be written. */
  private List<String> canaries() {
    List<String> all = new ArrayList<>(List.of(key, token, signing, mailPassword, stray, mark));
    all.add(URLEncoder.encode(key, StandardCharsets.UTF_8));
    for (int before = 0; before < 3; before++) {
      byte[] shifted = ("x".repeat(before) + mark).getBytes(StandardCharsets.UTF_8);
      all.add(Base64.getEncoder().encodeToString(shifted).substring(4, shifted.length / 3 * 4));
    }
    return all;
  }

  private void checkNone(String where, String text) {
    for (String canary : canaries()) {
      int at = text.indexOf(canary);
      if (at >= 0) {
        String around = text.substring(Math.max(0, at - 100), Math.min(text.length(), at + 100));
        shown.add(where + ": " + around);
      }
    }
  }

  private String files(String root, String name) throws IOException {
    try (Stream<Path> all = Files.walk(directory.resolve(root))) {
      StringBuilder text = new StringBuilder();
      for (Path file :
          all.filter(each -> each.getFileName().toString().startsWith(name)).toList()) {
        text.append(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1));
      }
      return text.toString();
    }
  }

  private void checkTables() {
    for (String table :
        rows.column("SELECT quote_ident(tablename) FROM pg_tables WHERE schemaname = 'holdfast'")) {
      List<String> all = rows.column("SELECT t::text FROM holdfast." + table + " t");
      checkNone(table, String.join("\n", all));
    }
  }

  @Test
  @DisplayName(
      "issue 20: no planted secret is in /proc, in any row, in the log, in /metrics, in a trace or"
          + " in what the webhook sends, whatever commands, agents, MCP servers and repairs try")
  void canary() throws Exception {
    models.nextFor(
        "gpt-a",
        error(500, "server_error", "no good key: " + key),
        toolCall("run_command", "{\"command\": \"sh spy.sh\"}"),
        toolCall("read_file", "{\"path\": \"key.txt\"}"),
        toolCall(
            "agent__final_report",
            JsonMapper.shared()
                .writeValueAsString(Map.of("status", "success", "content", "It is " + key))));
    // What is in its place is told to the model and in the run's trace.
    models.nextFor("gpt-r", answer(edit("key.txt", key + " it is", "None")));
    models.always(answer("I would try " + key));
    put("tells", command("sh spy.sh; mv seen seen-by-command; " + RESULT));
    put("fails", command("cat key.txt >&2; " + FAILURE));
    put("asks", agent());
    put("mends", repair());
    put("wonders", command(QUESTION));
    put("adds", adds());
    put("flows", flow());
    // No process of ours may start from here on: its environment is readable until its main runs.
    HoldfastProcess worker = holdfast.worker("--queue", "secrets");
    final long told = ticket("tells");
    final long failed = ticket("fails");
    final long agent = ticket("asks");
    final long repair = ticket("mends");
    final long wonders = ticket("wonders");
    final long adds = ticket("adds");
    final long flow = ticket("flows");
    rows.awaitState(told, "done");
    rows.awaitState(wonders, "on_hold");
    rows.awaitState(adds, "done");
    rows.awaitState(failed, "on_hold");
    rows.awaitState(agent, "needs_review");
    rows.awaitState(repair, "on_hold");
    TicketRows.await("the workflow asks a person")
        .until(() -> !rows.column(ASKED_IN_WORKFLOW, flow).isEmpty());
    TicketRows.await("a hold is told").until(() -> !posted.isEmpty());
    assertThat(mails.waitForIncomingEmail(30_000, 1)).as("a mail of %s", worker).isTrue();
    TicketRows.await("a workflow's span").until(() -> spans.text().contains("flows"));

    assertThat(models.requests().getFirst().key()).as("the secrets are in use").isEqualTo(key);
    String seen = files(".", "seen");
    assertThat(seen).contains("/proc/" + worker.pid() + "\n", "PATH=", "holdfast.jar");
    checkNone("/proc", seen);
    checkTables();
    checkNone("the log", worker.toString());
    checkNone("/metrics", worker.get("/metrics").body());
    checkNone("the trace", files(".holdfast/runs", "trace"));
    checkNone("the webhook", String.join("\n", posted));
    checkNone("a span", spans.text());
    for (MimeMessage mail : mails.getReceivedMessages()) {
      checkNone(
          "a mail", mail.getSubject() + mail.getContent() + GreenMailUtil.getWholeMessage(mail));
    }
    // A repair's model is shown the files that it is to mend as they are.
    models
        .requests()
        .forEach(each -> checkNone("a prompt", each.body().toString().split("## Files", 2)[0]));
    assertThat(shown).as("places that show a secret").isEmpty();
    String redacted = "[redacted:providers.openai.api-key]";
    assertThat(rows.of(told, "result::text")).contains(redacted, redacted + "-key");
    assertThat(rows.of(failed, "error")).contains(redacted);
    assertThat(rows.of(agent, "result::text")).contains("It is " + redacted);
    assertThat(rows.of(wonders, "hold_reason")).contains(redacted);
    assertThat(rows.column("SELECT payload FROM holdfast.tickets WHERE parent_id = ?", adds))
        .singleElement()
        .asString()
        .contains(redacted);
    assertThat(rows.column(ASKED_IN_WORKFLOW, flow)).first().asString().contains(redacted);
    assertThat(holdfast.ok("show", Long.toString(agent))).contains(redacted);
  }

  @Test
  @DisplayName(
      "issue 20: a provider that repeats the key which it refuses or limits brings it into no row,"
          + " log, metric or webhook")
  void repeatedByProvider() throws Exception {
    for (int status : List.of(401, 429)) {
      String provider = "HOLDFAST_PROVIDERS_ANSWERS_" + status;
      holdfast
          .with(provider + "_TYPE", "openai")
          .with(provider + "_BASE_URL", models.openAiUrl())
          .with(provider + "_API_KEY", key);
      put("asks-" + status, agent("answers-" + status, Integer.toString(status)));
    }
    models.always(
        choose(
            request ->
                error(
                    Integer.parseInt(request.model()),
                    "no",
                    "not with " + key,
                    Map.of("retry-after", "600"))));
    HoldfastProcess worker = holdfast.worker("--queue", "secrets");
    long refused = ticket("asks-401");
    long limited = ticket("asks-429");
    TicketRows.await("both attempts have ended")
        .until(() -> !rows.outcomes(refused).isEmpty() && !rows.outcomes(limited).isEmpty());
    TicketRows.await("a hold is told").until(() -> !posted.isEmpty());

    checkTables();
    checkNone("the log", worker.toString());
    checkNone("/metrics", worker.get("/metrics").body());
    checkNone("the webhook", String.join("\n", posted));
    assertThat(shown).as("places that show a secret").isEmpty();
    assertThat(rows.of(limited, "state")).isEqualTo("ready");
    assertThat(rows.column("SELECT detail FROM holdfast.provider_cooldowns"))
        .as("the providers' words are kept")
        .hasSize(2)
        .allMatch(each -> each.contains("not with "));
  }

  private static final String RESULT =
      """
      key=$(sed 's/"/\\\\"/g' key.txt); printf '{"key": "%s", "base64": "%s", "%s-key": 1}\\n' "$key" "$(base64 -w 0 key.txt)" "$key"
      """;
  private static final String QUESTION =
      """
      key=$(sed 's/"/\\\\"/g' key.txt); printf '{"ask": "Is it %s?", "choices": ["%s", "no"]}\\n' "$key" "$key"
      """;
  private static final String ADDITION =
      """
      key=$(sed 's/"/\\\\"/g' key.txt); printf '{"enqueue": [{"design": "wonders", "payload": {"key": "%s"}}]}\\n' "$key"
      """;
  private static final String ASKED_IN_WORKFLOW =
      "SELECT t.hold_reason FROM holdfast.tickets t WHERE t.parent_id = ? AND t.kind = 'human' AND"
          + " t.state = 'on_hold'";
  private static final String FAILURE =
      """
      printf '{"error": "cannot use %s", "category": "code_error"}\\n' "$(sed 's/"/\\\\"/g' key.txt)"; exit 1
      """;
}
