package dev.holdfast.handler.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

@DisplayName("Command handler: secrets")
class CommandSecretsIT {
  private static final JsonMapper JSON = JsonMapper.shared();
  private static final String SAY = "printf '%s' \"$TOLD\"; exit 1";

  @TempDir Path temp;
  private CommandTickets tickets;

  @BeforeEach
  void setUp() {
    tickets =
        new CommandTickets(temp.resolve("workspaces"))
            .workerVariable("LC_ALL", "C.UTF-8")
            .workerVariable("HOLDFAST_DATABASE_URL", "jdbc:hidden-1")
            .workerVariable("HOLDFAST_DATABASE_PASSWORD", "hidden-2")
            .workerVariable("OPENAI_API_KEY", "hidden-3-api-key")
            .workerVariable("GITHUB_TOKEN", "hidden-4")
            .workerVariable("SOMETHING_NEW", "hidden-5");
  }

  @Test
  @DisplayName("Secrets never reach child processes: only named variables of the worker pass")
  void scrubs() throws Exception {
    tickets.succeed(
        "env > env.txt", "\"directory\": \"" + temp + "\", \"environment\": {\"MODE\": \"fast\"}");

    assertThat(Files.readAllLines(temp.resolve("env.txt")))
        .contains(
            "MODE=fast", "LC_ALL=C.UTF-8", "PATH=" + System.getenv("PATH"), "HOLDFAST_TICKET_ID=17")
        .noneMatch(line -> line.contains("hidden"));
  }

  @Test
  @DisplayName("A design may ask for a variable only where the worker's configuration names it too")
  void passesWhatBothName() throws Exception {
    String ask = "\"pass_environment\": [\"OPENAI_API_KEY\"]";

    assertThat(tickets.fail("true", ask).text())
        .isEqualTo(
            "the design asks for the worker's variable OPENAI_API_KEY, which it does not pass on:"
                + " add it to handlers.command.pass-environment, or remove it from"
                + " pass_environment");
    tickets.passable("OPENAI_API_KEY", "MISSING");
    assertThat(tickets.succeed("test \"$OPENAI_API_KEY\" = hidden-3-api-key", ask).result())
        .isNull();
    assertThat(tickets.fail("true", "\"pass_environment\": [\"MISSING\"]").text())
        .isEqualTo(
            "the design asks for the variable MISSING, which the worker does not have: set it where"
                + " the worker is started");
  }

  @Test
  @DisplayName(
      "Secrets never reach rows: a passed value that the program prints is replaced by its name")
  void redacts() throws Exception {
    tickets.passable("OPENAI_API_KEY");
    String ask = "\"pass_environment\": [\"OPENAI_API_KEY\"]";

    assertThat(tickets.fail("echo \"bad key $OPENAI_API_KEY\" >&2; exit 1", ask).text())
        .isEqualTo("exit code 1 from sh\nbad key [redacted:OPENAI_API_KEY]");
    assertThat(tickets.succeed("echo \"{\\\"k\\\": [\\\"<$OPENAI_API_KEY>\\\"]}\"", ask).result())
        .isEqualTo("{\"k\":[\"<[redacted:OPENAI_API_KEY]>\"]}");
  }

  @Test
  @DisplayName("Secrets never reach rows: half of one is not left where a long line is cut")
  void redactsBeforeTheCut() throws Exception {
    tickets.passable("OPENAI_API_KEY");
    String ask = "\"pass_environment\": [\"OPENAI_API_KEY\"]";

    String result =
        tickets.succeed("printf '%01000d%s%016380d' 0 \"$OPENAI_API_KEY\" 0", ask).result();
    assertThat(result).contains("which is longer]\\nKEY]000").doesNotContain("api-key", "hidden");
    // The secret lies across the beginning of what is kept of the output, and blanks follow.
    assertThat(tickets.succeed("printf '%s%01048570s' \"$OPENAI_API_KEY\" ''", ask).result())
        .isNull();
  }

  @Test
  @DisplayName(
      "Secrets never reach rows: one with line breaks, quotes and backslashes is found in text, in"
          + " JSON, in JSON inside of JSON and in Base64")
  void redactsWrittenOtherwise() throws Exception {
    String pem = "-----BEGIN KEY-----\nAAAA\\BBBB\"CCCCCC\n-----END KEY-----";
    tickets.workerVariable("MY_PEM", pem).passable("MY_PEM");
    String base64 = Base64.getEncoder().encodeToString(pem.getBytes(StandardCharsets.UTF_8));
    String inner = JSON.writeValueAsString(Map.of("key", pem));
    String twice = JSON.writeValueAsString(Map.of("log", inner));
    String told = String.join(" ", pem, base64, inner, twice);
    String safe =
        "[redacted:MY_PEM] [redacted:MY_PEM] {\"key\":\"[redacted:MY_PEM]\"}"
            + " {\"log\":\"{\\\"key\\\":\\\"[redacted:MY_PEM]\\\"}\"}";

    assertThat(failing("printf '%s' \"$TOLD\" >&2; exit 1", told)).endsWith("sh\n" + safe);
    assertThat(failing(SAY, JSON.writeValueAsString(Map.of("error", told)))).startsWith(safe);
    String object = JSON.writeValueAsString(Map.of("error", Map.of("message", told)));
    assertThat(failing(SAY, object))
        .startsWith(JSON.writeValueAsString(Map.of("message", safe)) + "\n(exit code 1 from sh)");
    String result = JSON.writeValueAsString(Map.of("key", told));
    assertThat(tickets.succeed("printf '%s' \"$TOLD\"", keys("MY_PEM", result)).result())
        .isEqualTo(JSON.writeValueAsString(Map.of("key", safe)));
  }

  @Test
  @DisplayName(
      "Secrets never reach rows: of two secrets the longer one is replaced whole, and digits are"
          + " found in a number")
  void redactsWhole() throws Exception {
    tickets
        .workerVariable("LONG", "abcdefgh-and-its-tail")
        .workerVariable("SHORT", "abcdefgh")
        .workerVariable("PIN", "123456789012")
        .passable("LONG", "SHORT", "PIN");

    assertThat(
            tickets
                .succeed(
                    "echo '{\"a\": \"abcdefgh-and-its-tail abcdefgh\", \"b\": 123456789012}'",
                    "\"pass_environment\": [\"SHORT\", \"LONG\", \"PIN\"]")
                .result())
        .isEqualTo("{\"a\":\"[redacted:LONG] [redacted:SHORT]\",\"b\":\"[redacted:PIN]\"}");
  }

  private String failing(String script, String told) throws InterruptedException {
    return tickets.fail(script, keys("MY_PEM", told)).text();
  }

  private static String keys(String passed, String told) {
    return "\"pass_environment\": [\"%s\"], \"environment\": {\"TOLD\": %s}"
        .formatted(passed, JSON.writeValueAsString(told));
  }
}
