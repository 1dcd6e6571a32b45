package dev.holdfast.handler.command;

import static dev.holdfast.handler.command.CommandTickets.error;
import static dev.holdfast.handler.command.CommandTickets.shell;
import static dev.holdfast.handler.command.CommandTickets.ticket;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.failure.Category;
import dev.holdfast.process.ProgramUser;
import dev.holdfast.ticket.Design;
import dev.holdfast.ticket.Review;
import dev.holdfast.worker.HandlerResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("Command handler: what a program is given and gives")
class CommandHandlerIT {
  @TempDir Path temp;
  private CommandTickets tickets;

  @BeforeEach
  void setUp() {
    tickets = new CommandTickets(temp.resolve("workspaces"));
  }

  @Test
  @DisplayName("The ticket is one JSON document on stdin")
  void givesTicketOnStdin() throws Exception {
    HandlerResult.Succeeded done =
        (HandlerResult.Succeeded)
            tickets.run(
                ticket(
                    Optional.of(new Design(5, "job", 3, "command", shell("cat"))),
                    "{\"n\": 1.10}",
                    List.of("do ü")));

    assertThat(done.result())
        .isEqualTo(
            "{\"id\":17,\"queue\":\"default\",\"kind\":\"command\",\"title\":\"A"
                + " title\",\"payload\":{\"n\":1.10},"
                + "\"priority\":4,\"attempt\":2,\"lease_no\":99,\"retry_count\":1,\"created_at\":\"2026-11-21T08:00:00Z\",\"results\":{},\"guidance\":[{\"text\":\"do"
                + " ü\",\"author\":\"ann\",\"source\":\"release\","
                + "\"given_at\":\"2026-11-21T08:00:00Z\"}],\"answers\":[],\"design\":{\"name\":\"job\",\"version\":3}}");
  }

  @Test
  @DisplayName("a program of another user may open its own streams by their names under /dev")
  void streamsOfAnotherUser() throws Exception {
    assumeTrue(ProgramUser.isRoot(), "only root can start programs as somebody else");
    Files.setPosixFilePermissions(temp, PosixFilePermissions.fromString("rwx--x--x"));
    CommandTickets others = tickets.as("nobody");
    assertThat(
            others
                .succeed(
                    "n=$(grep -o '\"attempt\":2' /dev/stdin); echo warned >/dev/stderr;"
                        + " echo \"{$n, \\\"who\\\": \\\"$(id -un)\\\"}\" >/dev/stdout")
                .result())
        .isEqualTo("{\"attempt\":2,\"who\":\"nobody\"}");
    assertThat(others.fail("echo it broke | tee /dev/stderr; exit 3").text())
        .isEqualTo("exit code 3 from sh\nit broke");
  }

  @Test
  @DisplayName("The last line that is a JSON object is the result; the design says who reviews it")
  void takesLastLine() throws Exception {
    HandlerResult.Succeeded done =
        tickets.succeed(
            "echo working; echo '{\"answer\": 42}'; echo; echo '  '", "\"review\": \"none\"");

    assertThat(done.result()).isEqualTo("{\"answer\":42}");
    assertThat(done.review()).isEqualTo(Review.NONE);
    assertThat(tickets.succeed("true").review()).isEqualTo(Review.HUMAN);
  }

  @Test
  @DisplayName(
      "issue 22: a last line that asks is a question; one that cannot be asked fails and says why")
  void question() throws Exception {
    HandlerResult.Parked asked =
        (HandlerResult.Parked) tickets.sh("echo '{\"ask\": \"which?\", \"choices\": [1, \"b\"]}'");
    assertThat(asked.reason()).isEqualTo("question: which?");
    assertThat(asked.actions()).containsExactly("answer", "cancel");
    assertThat(asked.details())
        .isEqualTo(
            "{\"holdCause\":\"question\",\"question\":{\"ask\":\"which?\","
                + "\"choices\":[1,\"b\"]}}");
    HandlerResult.Failed refused =
        (HandlerResult.Failed) tickets.sh("echo '{\"ask\": \"which?\", \"choices\": []}'");
    assertThat(refused.error().text()).contains("cannot be asked", "at least one value");
    assertThat(refused.error().statedCategory()).isEqualTo(Category.CODE_ERROR);
    assertThat(tickets.sh("echo '{\"ask\": \"which?\"}'; exit 3"))
        .isInstanceOf(HandlerResult.Failed.class);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"ask\": \"which?\", \"choices\": [1, 2,]}|",
        "{ \"ask\" : \"which?\"|",
        "{\"choices\": [1, 2], \"ask\": \"which?\",}|",
        "{\"ask\": \"which?\", \"ask\": \"or which?\"}|",
        "{\"n\": NaN, \"enqueue\": []}|\"may_enqueue\": [\"other\"]",
        "{\"enqueue\": [{\"design\": \"other\"}], \"enqueue\": []}|\"may_enqueue\": [\"other\"]"
      })
  @DisplayName(
      "a last line that was to ask or to enqueue, and is no JSON or says a key twice, is no"
          + " success: what it was to do would be lost")
  void brokenAct(String line, @Nullable String more) throws Exception {
    HandlerResult result =
        tickets.sh("echo '" + line + "'", more == null ? "\"review\": \"none\"" : more);
    assertThat(result).isInstanceOf(HandlerResult.Failed.class);
    assertThat(((HandlerResult.Failed) result).error().text())
        .startsWith(
            "the program's last line was to ask or to enqueue, but cannot be read as JSON: ")
        .hasSizeGreaterThan(85);
  }

  @Test
  @DisplayName(
      "what means to do nothing may be any text, and a mark of the encoding is no part of it")
  void brokenText() throws Exception {
    assertThat(tickets.succeed("echo '{\"enqueue\": NaN}'").result()).startsWith("{\"text\":");
    assertThat(tickets.succeed("echo 'asks {\"ask\": '").result()).startsWith("{\"text\":");
    assertThat(tickets.succeed("printf '\\357\\273\\277{\"a\": 1}'").result())
        .isEqualTo("{\"a\":1}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"a\": 1}\\n\\033[0m\\n",
        "\\033[?25l{\"a\": 1}\\033[39;49m\\033(B\\n\\033]0;done\\007\\n \\033[?25h",
        "\\033[1;39m{\\033[0m\\033[34;1m\"a\"\\033[0m: 1}\\n",
        "10 %%\\r100 %%\\r\\033[K{\"a\": 1}\\r\\n"
      })
  @DisplayName("orders to a terminal around the last line, or in it, do not hide it")
  void ordersToTerminal(String printed) throws Exception {
    assertThat(tickets.succeed("printf 'log\\n" + printed + "'").result()).isEqualTo("{\"a\":1}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\\n  \"a\": {\\n    \"b\": [\\n      {\\n      }\\n    ]\\n  }\\n}\\n",
        "log\\n{\\n}\\n{\\r\\n\\t\"a\": {\"b\": [{}]}\\r\\n}\\r\\n",
        "\\357\\273\\277{\\n\"a\":{\"b\":[{}]}\\n}",
        "{\\n{\\n\"a\":{\"b\":[{}]}\\n}",
        "{\\n\"x\":\\n{\\n\"a\":{\"b\":[{}]}\\n}",
        "{\\n[\\n{\\n}\\n{\\n\"a\":{\n\"b\":[\\n{\\n}]\\n}\\n}"
      })
  @DisplayName("an object that a program prints over several lines at the end is its result")
  void severalLines(String printed) throws Exception {
    assertThat(tickets.succeed("printf '" + printed + "'").result())
        .isEqualTo("{\"a\":{\"b\":[{}]}}");
  }

  @Test
  @Timeout(120)
  @DisplayName("so it is where the objects in it begin and end alone on their lines, many or deep")
  void severalLinesWithoutIndent() throws Exception {
    String choices = "[\\n{\\n\"id\": 1\\n},\\n{\\n\"id\": 2\\n}\\n]";
    String ask = "{\\n\"ask\": \"which?\",\\n\"choices\": " + choices + "\\n}\\n";
    assertThat(tickets.sh("printf '{\\n}\\n" + ask + "'")).isInstanceOf(HandlerResult.Parked.class);
    String many = "printf '{\\n\"a\":[\\n'; yes '{\n},' | head -n 80000; printf '{\\n}\\n]\\n}\\n'";
    assertThat(tickets.succeed(many).result()).startsWith("{\"a\":[{},{}");
    String deep = "yes '{\n\"a\":\n' | head -n 200000; printf '1'; yes '\n}' | head -n 100000";
    assertThat(tickets.succeed(deep).result()).startsWith("{\"text\":");
  }

  @Test
  @DisplayName("several lines at the end that only look like an object are text, unless they ask")
  void severalLinesOfText() throws Exception {
    assertThat(tickets.succeed("printf '{\\n  f();\\n}\\n'").result())
        .isEqualTo("{\"text\":\"{\\n  f();\\n}\"}");
    assertThat(tickets.succeed("printf 'f() {\\n}\\n'").result())
        .isEqualTo("{\"text\":\"f() {\\n}\"}");
    assertThat(tickets.sh("printf '{\\n  \"ask\": \"which?\"\\n}\\n'"))
        .isInstanceOf(HandlerResult.Parked.class);
    assertThat(tickets.fail("printf '{\\n  \"ask\": \"which?\",\\n}\\n'").text())
        .contains("cannot be read as JSON");
  }

  @Test
  @DisplayName("22.6: where the last line is no JSON object, the text is the result")
  void textIsResult() throws Exception {
    assertThat(tickets.succeed("echo '{\"a\": 1}'; echo done").result())
        .isEqualTo("{\"text\":\"{\\\"a\\\": 1}\\ndone\"}");
    assertThat(tickets.succeed("echo '{not json}'").result())
        .isEqualTo("{\"text\":\"{not json}\"}");
    assertThat(tickets.succeed("echo '[1]'").result()).isEqualTo("{\"text\":\"[1]\"}");
    assertThat(tickets.succeed("true").result()).isNull();
    assertThat(tickets.succeed("echo; echo quiet >&2").result()).isNull();
    assertThat(tickets.succeed("printf 'a\\000b\\377'").result())
        .isEqualTo("{\"text\":\"ab\uFFFD\"}");
    assertThat(tickets.succeed("head -c 10000000 /dev/zero | tr '\\0' x; echo; echo end").result())
        .isEqualTo("{\"text\":\"end\"}");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "; echo", "; head -c 20000 /dev/zero | tr '\\0' '\\n'"})
  @DisplayName("22.6: of a last line that is too long for a result the end is kept, which says so")
  void longLineIsCut(String behind) throws Exception {
    for (int bytes : List.of(16_385, 10_000_000)) {
      String script = "echo log; head -c " + bytes + " /dev/zero | tr '\\0' x" + behind;
      assertThat(tickets.succeed(script).result())
          .isEqualTo(
              "{\"text\":\"[the last 16KiB of the last line, which is longer]\\n"
                  + "x".repeat(16 * 1024)
                  + "\"}");
    }
    assertThat(tickets.succeed("head -c 16384 /dev/zero | tr '\\0' x" + behind).result())
        .isEqualTo("{\"text\":\"" + "x".repeat(16 * 1024) + "\"}");
  }

  @Test
  @DisplayName("A result with NUL or half a surrogate pair is made storable")
  void resultIsStorable() throws Exception {
    assertThat(
            tickets
                .succeed("printf '%s\\n' '{\"a\": \"x\\u0000y\", \"b\": [\"\\ud83d\"]}'")
                .result())
        .isEqualTo("{\"a\":\"xy\",\"b\":[\"\uFFFD\"]}");
  }

  @Test
  @DisplayName("A result longer than what is kept fails the attempt instead of getting lost")
  void refusesHugeResult() throws Exception {
    assertThat(
            tickets
                .fail("printf '{\"a\": \"'; head -c 1100000 /dev/zero | tr '\\0' x; echo '\"}'")
                .text())
        .isEqualTo(
            "the program's last line on stdout is longer than 1024KiB and cannot be stored as the"
                + " ticket's result: write large results to a file and print its name");
    String lines = "echo '{'; echo '  \"a\": ['; seq -f '    %.0f,' 150000; echo '    1'; ";
    for (String end : List.of("echo '  ]'", "echo '  ], '; echo '  \"b\": 1'")) {
      assertThat(tickets.fail(lines + end + "; echo '}'").text())
          .startsWith("the program's last line on stdout is longer than 1024KiB");
    }
    // A program's text that ends with a brace is none.
    assertThat(tickets.succeed(lines + "echo '  return 0;'; echo '}'").result())
        .startsWith("{\"text\":");
  }

  @Test
  @DisplayName("Id, attempt, lease and guidance are in the environment")
  void givesTicketInEnvironment() throws Exception {
    String script =
        "echo \"{\\\"seen\\\": \\\"$HOLDFAST_TICKET_ID $HOLDFAST_ATTEMPT $HOLDFAST_LEASE_NO"
            + " [$HOLDFAST_GUIDANCE]\\\"}\"";
    Optional<Design> design = Optional.of(new Design(5, "job", 3, "command", shell(script)));

    assertThat(result(tickets.run(ticket(design, "{}", List.of()))))
        .isEqualTo("{\"seen\":\"17 2 99 []\"}");
    assertThat(result(tickets.run(ticket(design, "{}", List.of("use b")))))
        .isEqualTo("{\"seen\":\"17 2 99 [use b]\"}");
  }

  @Test
  @DisplayName(
      "All guidance is given, oldest first, a blank line between; the oldest is cut where a"
          + " variable could not hold it")
  void joinsGuidance() throws Exception {
    Optional<Design> design =
        Optional.of(
            new Design(
                5,
                "job",
                3,
                "command",
                shell("printf %s \"$HOLDFAST_GUIDANCE\" > out", directory())));

    tickets.run(ticket(design, "{}", List.of("first", "second")));
    assertThat(temp.resolve("out")).hasContent("first\n\nsecond");

    HandlerResult result =
        tickets.run(ticket(design, "{}", List.of("ü".repeat(200_000), "the newest")));
    assertThat(result).isInstanceOf(HandlerResult.Succeeded.class);
    assertThat(Files.readString(temp.resolve("out")))
        .startsWith("[The beginning is cut here; all of it is in the document on stdin.]\nü")
        .endsWith("ü\n\nthe newest")
        .doesNotContain("\uFFFD");
  }

  @Test
  @DisplayName(
      "Without a directory in the design each attempt has an empty one of its own, gone afterwards")
  void ownDirectory() throws Exception {
    assertThat(
            tickets
                .succeed("mkdir -p a/b && touch a/b/c .d && chmod 0 a/b && ln -s / root")
                .result())
        .isNull();
    assertThat(tickets.fail("touch x; exit 1").exitCode()).isEqualTo(1);
    assertThat(
            tickets
                .succeed("echo \"{\\\"files\\\": \\\"$(ls -A)\\\", \\\"pwd\\\": \\\"$(pwd)\\\"}\"")
                .result())
        .startsWith(
            "{\"files\":\"\",\"pwd\":\""
                + temp.resolve("workspaces/ticket-17-1795248000-attempt-2-"));
    assertThat(temp.resolve("workspaces")).isEmptyDirectory();
  }

  @Test
  @DisplayName("The design's directory is used as it is, and stays")
  void givenDirectory() throws Exception {
    tickets.succeed("touch made", directory());

    assertThat(temp.resolve("made")).exists();
  }

  @Test
  @DisplayName("A program named in a payload is refused, and says how to allow it")
  void refusesInline() throws Exception {
    var report =
        error(
            tickets.run(
                ticket(
                    Optional.empty(),
                    "{\"command\": [\"touch\", \"" + temp + "/ran\"]}",
                    List.of())));

    assertThat(report.text())
        .isEqualTo(
            "the ticket's payload names a program, which this worker does not allow: put it into a"
                + " design (holdfast design put NAME --file F) and enqueue with --design NAME, or"
                + " set handlers.command.allow-inline: true");
    assertThat(report.statedCategory()).isEqualTo(Category.CODE_ERROR);
    assertThat(temp.resolve("ran")).doesNotExist();
  }

  @Test
  @DisplayName("Where the configuration allows it, a program named in a payload is run")
  void runsInline() throws Exception {
    tickets.allowInline();
    String payload =
        "{\"command\": [\"sh\", \"-c\", \"echo '{\\\"v\\\": \\\"'$V'\\\"}'\"], \"environment\":"
            + " {\"V\": \"7\"}, \"n\": 1}";

    assertThat(result(tickets.run(ticket(Optional.empty(), payload, List.of()))))
        .isEqualTo("{\"v\":\"7\"}");
  }

  @Test
  @DisplayName(
      "An allowed payload is checked as a design is, and gets nothing of the worker's environment")
  void checksInline() throws Exception {
    tickets.allowInline().workerVariable("DEPLOY_KEY", "hidden").passable("DEPLOY_KEY");

    assertThat(
            error(tickets.run(ticket(Optional.empty(), "{\"command\": \"ls\"}", List.of()))).text())
        .isEqualTo(
            "the program in the ticket's payload: the design is not valid: command must be of type"
                + " array, not \"ls\"");
    assertThat(
            error(
                    tickets.run(
                        ticket(
                            Optional.empty(),
                            "{\"command\": [\"ls\"], \"pass_environment\": [\"DEPLOY_KEY\"]}",
                            List.of())))
                .text())
        .isEqualTo(
            "the program in the ticket's payload: pass_environment is for designs only: remove it"
                + " from the payload");
  }

  @Test
  @DisplayName("A design's program wins over a payload's, which is then mere input")
  void designWins() throws Exception {
    Optional<Design> design =
        Optional.of(new Design(5, "job", 3, "command", shell("echo '{\"by\": \"design\"}'")));

    assertThat(result(tickets.run(ticket(design, "{\"command\": [\"false\"]}", List.of()))))
        .isEqualTo("{\"by\":\"design\"}");
  }

  @Test
  @DisplayName(
      "A ticket without a program, a design that is damaged or of another kind: one clear line")
  void badDesigns() throws Exception {
    assertThat(error(tickets.run(ticket(Optional.empty(), "{}", List.of()))).text())
        .isEqualTo(
            "the ticket has no design and so no program: cancel it, and enqueue with --design"
                + " NAME");
    assertThat(error(tickets.run(ticket(Optional.empty(), "[1]", List.of()))).text())
        .startsWith("the ticket has no design");
    assertThat(error(tickets.run(ticket("{\"kind\": \"command\"}"))).text())
        .startsWith("design job version 3: the design is not valid: \"command\" is missing");
    assertThat(error(tickets.run(ticket("{\"kind\": \"robot\"}"))).text())
        .startsWith("design job version 3: the design's kind \"robot\" is unknown");
    String agent = "{\"kind\": \"agent\", \"targets\": [{\"provider\": \"p\", \"model\": \"m\"}]}";
    assertThat(error(tickets.run(ticket(agent))).text())
        .startsWith("design job version 3: its kind is agent, not command");
  }

  private String directory() {
    return "\"directory\": \"" + temp + "\"";
  }

  private static String result(HandlerResult result) {
    return String.valueOf(((HandlerResult.Succeeded) result).result());
  }
}
