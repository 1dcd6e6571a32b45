package dev.holdfast.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Types what docs/api.md shows, in bash and with curl, at a worker's port. */
@Tag("slow")
@WithDatabase
@Timeout(180)
class ApiPageIT {
  private static final Pattern BLOCK = Pattern.compile("(?ms)^```sh\\n(.*?)^```");

  /** The page's version of a ticket. */
  private static final String VERSION = "0-1795300000000000";

  private static final String AT_THE_PORT =
      """
      set -eu
      curl() { command curl -sS -w '\\n%%{http_code}\\n' "${@//localhost:8080/localhost:%d}"; }
      TOKEN=$(cat .holdfast/token)
      AUTH="Authorization: Bearer $(cat .holdfast/token)"
      """;

  private record Answer(String body, String status) {}

  private final TicketRows rows;
  private final Path directory;
  @AutoClose private final Installation holdfast;
  private HoldfastProcess worker;

  ApiPageIT(TestDatabase database, @TempDir Path directory) {
    this.rows = new TicketRows(database.dataSource());
    this.directory = directory;
    this.holdfast = Installation.on(database, directory);
  }

  @BeforeEach
  void start() throws Exception {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/curl")), "curl is missing: install it");
    worker = holdfast.start("worker", "--port", "0").awaitConsole();
  }

  /** What the page shows of curl, in its order; what goes on in the next line is one. */
  private static List<String> commands() throws IOException {
    List<String> commands = new ArrayList<>();
    BLOCK
        .matcher(Files.readString(Path.of("docs/api.md")))
        .results()
        .flatMap(block -> block.group(1).replaceAll("\\\\\\n\\s*", "").lines())
        .filter(line -> line.startsWith("curl "))
        .forEach(commands::add);
    return commands;
  }

  private Process shell(String command) throws Exception {
    String prelude = String.format(Locale.ROOT, AT_THE_PORT, worker.address().getPort());
    return new ProcessBuilder("bash", "-c", prelude + command)
        .directory(directory.toFile())
        .redirectErrorStream(true)
        .start();
  }

  private Answer type(String command) throws Exception {
    Process process = shell(command);
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes()).strip();
    assertThat(process.waitFor()).as(command + output).isZero();
    int status = output.lastIndexOf('\n') + 1;
    return new Answer(output.substring(0, status), output.substring(status));
  }

  @Test
  @DisplayName("22.14: each request that docs/api.md shows is typed, and does what it is for")
  void page() throws Exception {
    long ran = ticketThatPrints();
    String held = heldWithFingerprint();
    rows.column("SELECT setval('holdfast.ticket_base_id_seq', 1, false)");
    int typed = 0;
    for (String command : commands()) {
      typed++;
      if (command.contains("/events")) {
        follow(command);
        continue;
      }
      if (command.contains(VERSION)) {
        assertThat(type(command).status()).as("of a version that is over").isEqualTo("412");
      }
      Answer answer =
          type(
              command
                  .replace("tickets/1/attempts", "tickets/" + ran + "/attempts")
                  .replace(VERSION, version()));
      assertThat(answer.status())
          .as(command + "\n" + answer.body())
          .isEqualTo(command.contains("Idempotency-Key") ? "201" : "200");
      if (command.contains("fingerprint")) {
        assertThat(answer.body()).contains("\"done\":1");
      }
      if (command.contains("/attempts/")) {
        assertThat(answer.body()).contains("printed by a program");
      }
    }
    assertThat(typed).isEqualTo(11);
    assertThat(rows.of(1, "kind || ' ' || queue || ' ' || title || ' ' || state"))
        .isEqualTo("email mail welcome ready");
    assertThat(
            rows.column(
                "SELECT guidance FROM holdfast.ticket_guidance WHERE ticket_id = 1 ORDER BY 1"))
        .containsExactly("the file is in /data now");
    assertThat(rows.of(Long.parseLong(held), "state")).isEqualTo("ready");
  }

  private String version() throws Exception {
    Answer list = type("curl -H \"$AUTH\" 'localhost:8080/api/v1/tickets?limit=500'");
    var version = Pattern.compile("\"id\":1,.*?\"version\":\"([^\"]+)\"").matcher(list.body());
    return version.find() ? version.group(1) : VERSION;
  }

  private long ticketThatPrints() throws Exception {
    Files.writeString(
        directory.resolve("design.yaml"),
        "{kind: command, review: none, command: [echo, printed by a program]}");
    holdfast.ok("design", "put", "prints", "--file", "design.yaml");
    rows.column("SELECT setval('holdfast.ticket_base_id_seq', 900)");
    long id = Long.parseLong(holdfast.ok("enqueue", "--design", "prints"));
    rows.awaitState(id, "done");
    TicketRows.await("its output is there")
        .until(() -> type(output(id)).body().contains("printed by a program"));
    return id;
  }

  private static String output(long id) {
    return "curl -H \"$AUTH\" localhost:8080/api/v1/tickets/" + id + "/attempts/1/output";
  }

  private String heldWithFingerprint() {
    return rows.value(
        "INSERT INTO holdfast.tickets (kind, state, error, error_category, error_fingerprint,"
            + " hold_reason) VALUES ('nobody', 'on_hold', 'no', 'api_error', rpad('3f2a9c1b', 32,"
            + " '0'), 'no') RETURNING id");
  }

  /** It goes on until somebody ends it; what it then says is {@code EventsIT}'s matter. */
  private void follow(String command) throws Exception {
    Process process = shell(command.replace("-N", "-N -i"));
    try (BufferedReader lines = process.inputReader()) {
      assertThat(lines.readLine()).contains(" 200");
      List<String> headers = new ArrayList<>();
      for (String line = lines.readLine(); !line.isBlank(); line = lines.readLine()) {
        headers.add(line.toLowerCase(Locale.ROOT));
      }
      assertThat(headers).anySatisfy(each -> assertThat(each).contains("text/event-stream"));
    } finally {
      process.descendants().forEach(ProcessHandle::destroy);
      process.destroy();
    }
  }
}
