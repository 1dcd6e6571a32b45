package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

@WithDatabase
@EverySetup
class DesignCommandIT {
  @TempDir Path directory;

  private final Cli cli;

  DesignCommandIT(TestDatabase database) {
    this.cli = Cli.on(database);
  }

  @Test
  @DisplayName(
      "put stores versions, the same document again changes nothing; list, show and enqueue know"
          + " it")
  void putListShow() throws IOException {
    Path file =
        Files.writeString(directory.resolve("d.yaml"), "kind: command\ncommand: [echo, hi]\n");
    assertThat(cli.run("design", "put", "hello", "--file", file.toString()).out().strip())
        .isEqualTo("design hello is at version 1");
    assertThat(cli.run("design", "put", "hello", "--file", file.toString()).out())
        .contains("version 1");
    assertThat(
            cli.runWithInput(
                    "{\"kind\": \"command\", \"command\": [\"true\"]}",
                    "design",
                    "put",
                    "hello",
                    "--file",
                    "-")
                .out())
        .contains("version 2");

    assertThat(cli.run("design", "list").out()).contains("hello", "command");
    JsonNode shown = cli.run("design", "show", "hello", "--json").json();
    assertThat(shown.get("version").intValue()).isEqualTo(2);
    assertThat(shown.at("/definition/command/0").stringValue()).isEqualTo("true");
    assertThat(cli.run("design", "show", "hello").out())
        .startsWith("hello, version 2, kind command");
    assertThat(cli.run("enqueue", "--design", "hello").code()).isZero();
  }

  @Test
  @DisplayName("show keeps the digits of numbers, for people, too")
  void digits() {
    put("exactly", "{\"kind\": \"command\", \"command\": [\"true\"]}");
    put(
        "exact",
        "{\"kind\": \"workflow\", \"steps\": {\"a\": {\"design\": \"exactly\", \"payload\":"
            + " {\"n\": 12345678901234567.25, \"money\": 1.10}}}}");
    assertThat(cli.run("design", "show", "exact").out())
        .contains(": 12345678901234567.25", ": 1.10");
  }

  @Test
  @DisplayName(
      "a held ticket keeps its version until a person lets it use another one; show tells of"
          + " a newer one")
  void use() {
    put("greet", "{\"kind\": \"command\", \"command\": [\"false\"]}");
    String held = enqueued("greet");
    assertThat(cli.run("hold", held, "--reason", "broken").code()).isZero();
    assertThat(cli.run("show", held).out()).doesNotContain("newer design");

    put("greet", "{\"kind\": \"command\", \"command\": [\"true\"]}");
    assertThat(cli.run("show", held).out())
        .contains("greet, version 1", "version 2; to use it: holdfast design use " + held);
    assertThat(cli.run("design", "use", held, "--version", "7").err()).contains("no version 7");
    assertThat(cli.run("design", "use", held, "--by", "ann").out().strip())
        .isEqualTo("updated #" + held);
    assertThat(cli.run("show", held).out())
        .contains("greet, version 2", "design changed by ann: version 2 of greet instead of 1")
        .doesNotContain("newer design");
    assertThat(cli.run("show", held, "--json").json().get("state").stringValue())
        .isEqualTo("on_hold");
  }

  @Test
  @DisplayName(
      "a ticket that is not held, has no design, is a workflow or of another kind is refused")
  void useRefused() {
    put("one", "{\"kind\": \"command\", \"command\": [\"true\"]}");
    String ready = enqueued("one");
    String bare = cli.run("enqueue", "--kind", "command").out().strip();
    assertThat(cli.run("hold", bare, "--reason", "r").code()).isZero();

    Cli.Result refused = cli.run("design", "use", ready, bare);
    assertThat(refused.code()).isEqualTo(3);
    assertThat(refused.err()).contains("it is ready", "has no design, only the kind command");
    assertThat(cli.run("hold", ready, "--reason", "r").code()).isZero();
    put(
        "one",
        "{\"kind\": \"agent\", \"targets\": [{\"provider\": \"openai\", \"model\": \"m\"}]}");
    assertThat(cli.run("design", "use", ready).err()).contains("is of kind agent");
    assertThat(cli.run("design", "use", "999999").code()).isEqualTo(3);
    assertThat(cli.run("design", "use").code()).isEqualTo(2);
  }

  private void put(String name, String document) {
    assertThat(cli.runWithInput(document, "design", "put", name, "--file", "-").code()).isZero();
  }

  private String enqueued(String design) {
    return cli.run("enqueue", "--design", design).out().strip();
  }

  @Test
  @DisplayName("a bad document is one line and exit code 2, an unknown design exit code 3")
  void garbage() throws IOException {
    for (String document :
        new String[] {
          "", "[]", "kind: magic", "kind: command", "{{{", "kind: command\ncommnd: [x]"
        }) {
      Path file = Files.writeString(directory.resolve("bad.yaml"), document);
      Cli.Result result = cli.run("design", "put", "bad", "--file", file.toString());
      assertThat(result.code()).as("%s: %s", document, result.err()).isEqualTo(2);
      assertThat(result.err()).startsWith("holdfast: ").hasLineCount(1).doesNotContain("Exception");
    }
    assertThat(cli.run("design", "put", "bad", "--file", "/no/such").code()).isEqualTo(2);
    assertThat(cli.run("design", "put", "bad").code()).isEqualTo(2);
    assertThat(cli.run("design").code()).isEqualTo(2);
    assertThat(cli.run("design", "show", "no-such").code()).isEqualTo(3);
    assertThat(cli.run("design", "show", "no-such").err())
        .contains("holdfast design list")
        .hasLineCount(1);
  }
}
