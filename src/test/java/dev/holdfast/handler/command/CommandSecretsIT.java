package dev.holdfast.handler.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("Command handler: secrets")
class CommandSecretsIT {
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
        .isEqualTo("exit code 1 from sh\nbad key [OPENAI_API_KEY]");
    assertThat(tickets.succeed("echo \"{\\\"k\\\": [\\\"<$OPENAI_API_KEY>\\\"]}\"", ask).result())
        .isEqualTo("{\"k\":[\"<[OPENAI_API_KEY]>\"]}");
  }
}
