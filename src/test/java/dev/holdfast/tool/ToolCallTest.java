package dev.holdfast.tool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.llm.ToolCall;
import dev.holdfast.llm.ToolSpec;
import dev.holdfast.tool.ToolReply.Outcome;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

@DisplayName("One tool call, as a model wrote it")
@Timeout(120)
class ToolCallTest {
  private static ParallelToolBox box(Tool tool) {
    return new ParallelToolBox(
        List.of(tool, TestTool.failing("write_file", 0)),
        ToolSettings.defaults(),
        time -> {},
        () -> 0,
        TimeLeft.UNBOUNDED,
        List.of());
  }

  private static ToolReply run(Tool tool, ToolCall call) throws InterruptedException {
    return box(tool).run(List.of(call)).getFirst();
  }

  private static ToolReply run(Tool tool, String arguments) throws InterruptedException {
    return run(tool, new ToolCall("1", tool.spec().name(), arguments));
  }

  @Test
  @DisplayName("C19, C36: a tool's question goes to the model, which corrects its call")
  void modelRetry() throws Exception {
    TestTool tool =
        TestTool.of(
            "greet",
            (run, arguments) -> {
              if (!arguments.has("text")) {
                throw new ModelRetryException("Whom? Give a text.");
              }
              return "Hello " + arguments.get("text").asString();
            });
    ToolReply asked = run(tool, "{}");
    assertThat(asked)
        .isEqualTo(new ToolReply(asked.call(), Outcome.MODEL_RETRY, "Whom? Give a text.", 1));
    assertThat(run(tool, "{\"text\": \"world\"}").content()).isEqualTo("Hello world");
  }

  @Test
  @DisplayName("C21: a question uses up no attempt: two failures and a success may follow it")
  void modelRetryIsFree() throws Exception {
    TestTool tool =
        TestTool.of(
            "moody",
            (run, arguments) -> {
              if (run == 1) {
                throw new ModelRetryException("again");
              }
              if (run < 4) {
                throw new IOException("busy");
              }
              return "done";
            });
    assertThat(run(tool, "{}").outcome()).isEqualTo(Outcome.MODEL_RETRY);
    ToolReply reply = run(tool, "{}");
    assertThat(reply.outcome()).isEqualTo(Outcome.OK);
    assertThat(reply.executions()).isEqualTo(3);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{",
        "{\"text\": \"a",
        "nonsense",
        "[]",
        "\"text\"",
        "null",
        "{} {}",
        "{\"text\":1,\"text\":2}",
        "{\"text\": 'a'}",
        "\u0000"
      })
  @DisplayName(
      "C19: arguments that are no JSON object are the model's to mend; the tool is not run")
  void garbage(String arguments) throws Exception {
    TestTool tool = TestTool.failing("echo", 0);
    ToolReply reply = run(tool, arguments);
    assertThat(reply.outcome()).isEqualTo(Outcome.MODEL_RETRY);
    assertThat(reply.content()).contains("arguments of echo");
    assertThat(reply.executions()).isZero();
    assertThat(tool.runs()).hasValue(0);
  }

  @Test
  @DisplayName("C19: deeply nested arguments are refused like any garbage")
  void deep() throws Exception {
    String deep = "{\"text\":".repeat(100_000);
    assertThat(run(TestTool.failing("echo", 0), deep).outcome()).isEqualTo(Outcome.MODEL_RETRY);
  }

  @Test
  @DisplayName("C19: wrong arguments are named by their field, and what may be meant is said")
  void wrongArguments() throws Exception {
    TestTool tool = TestTool.failing("echo", 0);
    ToolReply reply = run(tool, "{\"txt\": \"a\", \"count\": \"many\"}");
    assertThat(reply.outcome()).isEqualTo(Outcome.MODEL_RETRY);
    assertThat(reply.content())
        .contains("unknown key \"txt\"")
        .contains("did you mean \"text\"?")
        .contains("count must be of type integer");
    assertThat(tool.runs()).hasValue(0);
  }

  @Test
  @DisplayName("No arguments at all are an empty object")
  void noArguments() throws Exception {
    assertThat(run(TestTool.failing("echo", 0), " ").outcome()).isEqualTo(Outcome.OK);
  }

  @Test
  @DisplayName("C19: an unknown tool is answered with the nearest one")
  void unknownTool() throws Exception {
    ToolReply reply = run(TestTool.failing("read_file", 0), new ToolCall("1", "raed_file", "{}"));
    assertThat(reply.outcome()).isEqualTo(Outcome.MODEL_RETRY);
    assertThat(reply.content())
        .contains("no tool \"raed_file\"")
        .contains("did you mean \"read_file\"?")
        .contains("write_file");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"$ref\": \"https://example.org/schema.json\"}",
        "{\"properties\": {\"text\": {\"pattern\": \"^(a|aa)+(x?)\\\\2$\"}}}"
      })
  @DisplayName(
      "A foreign tool whose schema is none, or checks without an end, is called all the same")
  void brokenSchema(String schema) throws Exception {
    Tool tool =
        new Tool() {
          @Override
          public ToolSpec spec() {
            return new ToolSpec("foreign", "", TestTool.MAPPER.readTree(schema));
          }

          @Override
          public boolean isIdempotent() {
            return true;
          }

          @Override
          public String call(JsonNode arguments, ToolContext context) {
            return "called";
          }
        };
    String text = "a".repeat(60) + "!";
    assertThat(run(tool, "{\"text\": \"" + text + "\"}").content()).isEqualTo("called");
  }

  @Test
  @DisplayName("C16: a preview that fails says so to the person, and does not end the session")
  void brokenPreview() throws Exception {
    Tool tool =
        new Tool() {
          @Override
          public ToolSpec spec() {
            return new ToolSpec("odd", "", TestTool.MAPPER.readTree("{\"type\": \"object\"}"));
          }

          @Override
          public boolean isIdempotent() {
            return true;
          }

          @Override
          public CallPreview preview(JsonNode arguments) {
            throw new SecurityViolationException("not yours");
          }

          @Override
          public String call(JsonNode arguments, ToolContext context) {
            return "called";
          }
        };
    ToolCall call = new ToolCall("1", "odd", "{}");
    assertThat(box(tool).preview(call))
        .contains(new CallPreview("It would fail as things are: not yours", Set.of()));
  }

  @Test
  @DisplayName("C16: any exception of a tool becomes a ToolExecutionException that keeps its cause")
  void wrapsOthers() {
    IOException cause = new IOException("disk");
    assertThat(ErrorTranslation.of("t", cause))
        .isInstanceOf(ToolExecutionException.class)
        .hasMessageContaining("disk")
        .hasCause(cause);
    for (Exception same :
        List.of(
            new ModelRetryException("m"),
            new ToolExecutionException("t"),
            new FileOperationException("f"))) {
      assertThat(ErrorTranslation.of("t", same)).isSameAs(same);
    }
  }

  @Test
  @DisplayName("C17: what must not be retried is not hidden in another exception")
  void keepsNonRetryable() throws Exception {
    for (Exception same :
        List.of(
            new ValidationException("v"),
            new ConfigurationException("c"),
            new SecurityViolationException("s"),
            new InterruptedException())) {
      assertThat(ErrorTranslation.of("t", same)).isSameAs(same);
    }
    TestTool tool =
        TestTool.of(
            "strict",
            (run, arguments) -> {
              throw new ValidationException("no");
            });
    assertThat(run(tool, "{}").executions()).isEqualTo(1);
  }

  @Test
  @DisplayName("C34, C37: a failure says which tool, why, with which parameters, how to go on")
  void surfacedFailure() throws Exception {
    ToolReply reply = run(TestTool.failing("moody", 99), "{\"text\": \"x\"}");
    assertThat(reply.outcome()).isEqualTo(Outcome.FAILED);
    assertThat(reply.content())
        .contains("Tool 'moody' failed after 3 attempts: ToolExecutionException: moody is not in")
        .contains("Parameters: {\"text\": \"x\"}")
        .contains("To retry: ");
  }

  @Test
  @DisplayName("A long answer is cut in its middle, in whole characters, and says how much")
  void bounded() throws Exception {
    String answer = "€".repeat(40_000);
    ToolReply reply = run(TestTool.of("long", (run, arguments) -> answer), "{}");
    assertThat(reply.content()).contains("of 120000 bytes cut here").doesNotContain("\uFFFD");
    assertThat(reply.content().getBytes(StandardCharsets.UTF_8).length).isLessThan(33 * 1024);
    assertThat(run(TestTool.of("nul", (run, arguments) -> "a\0b\uD800"), "{}").content())
        .isEqualTo("a\uFFFDb?");
  }
}
