package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.failure.Classifier;
import dev.holdfast.failure.ErrorReport;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class ClassifyCommandTest {
  private final Cli cli = Cli.withoutDatabase();

  @Test
  @DisplayName("A5: classify explains category, rule, policy and delay, and needs no database")
  void explains() {
    Cli.Result result = cli.run("classify", "HTTP 429:", "rate limit, retry after 45s");

    assertThat(result.code()).isZero();
    assertThat(result.err()).isEmpty();
    assertThat(result.out())
        .containsPattern("category +transient\n")
        .containsPattern("http status +429\n")
        .containsPattern("retry after +45s\n")
        .containsPattern("policy +3 retries, backoff exponential from 30s\n")
        .containsPattern("next delay +45s before the first retry, plus up to 10 % jitter\n");
  }

  @Test
  @DisplayName("the text from standard input, the status from a flag, the answer as JSON")
  void json() {
    JsonNode answer =
        cli.runWithInput("something\nhappened\n", "classify", "--http-status", "503", "--json")
            .json();
    assertThat(answer.get("category").stringValue()).isEqualTo("transient");
    assertThat(answer.get("http_status").intValue()).isEqualTo(503);
    assertThat(answer.get("retry_after_ms").isNull()).isTrue();
    assertThat(answer.get("max_retries").intValue()).isEqualTo(3);
    assertThat(answer.get("next_delay_ms").intValue()).isEqualTo(30_000);
  }

  @Test
  @DisplayName("A12, issue 19: --explain names what gave the category and the wait")
  void explain() {
    String answer =
        """
        HTTP/1.1 429
        Retry-After: 1
        x-ratelimit-remaining-tokens: 5
        x-ratelimit-reset-tokens: 6m0s

        {"error":{"code":"rate_limit_exceeded"}}
        """;
    assertThat(cli.runWithInput(answer, "classify", "--explain").out())
        .containsPattern("retry after +1s\n")
        .containsPattern("category by +the answer's error code or phrase \"rate_limit_exceeded\"\n")
        .containsPattern("wait by +\"Retry-After: 1\"\n")
        .containsPattern("other rules +\\S+");
    JsonNode json = cli.runWithInput("boom", "classify", "--explain", "--json").json();
    assertThat(json.get("category_from").stringValue()).isEqualTo("no rule matches");
    assertThat(json.get("hint_from").isNull()).isTrue();
    assertThat(json.get("other_rules").isEmpty()).isTrue();
    assertThat(
            cli.runWithInput("{\"text\": \"HTTP 503\"}\n", "classify", "--jsonl", "--explain")
                .json()
                .get("category_from")
                .stringValue())
        .isEqualTo("the HTTP status \"503\"");
  }

  @Test
  @DisplayName("configured rules and policies count")
  void configured() {
    Cli configured =
        new Cli(
            Map.of(
                "HOLDFAST_CLASSIFIER_RULES",
                    "[{id: vpn, stage: text, category: system_error, patterns: ['tunnel down']}]",
                "HOLDFAST_RETRY_CATEGORIES_SYSTEM_ERROR_MAX_RETRIES", "0"),
            cli.directory());
    assertThat(configured.run("classify", "the tunnel down again").out())
        .containsPattern("rule +vpn\n")
        .containsPattern("policy +no retries: on hold at once\n");
  }

  @Test
  @DisplayName("--jsonl answers every line in its order with the five fields")
  void jsonl() {
    String input =
        """
        \uFEFF{"text": "SyntaxError: Unexpected token"}
        {"text": "whatever", "http_status": 429}
        {"text": null}

        {"text": "ENOENT: no such file", "http_status": null, "other": 1}
        """;

    List<String> lines = cli.runWithInput(input, "classify", "--jsonl").lines();

    assertThat(lines).hasSize(4);
    assertThat(lines.getFirst())
        .matches(
            "\\{\"category\":\"code_error\",\"rule\":\"[^\"]+\",\"retry_after_ms\":null,\"http_status\":null,\"fingerprint\":\"[^\"]+\"}");
    assertThat(lines.get(1)).contains("\"transient\"", "\"http_status\":429");
    assertThat(lines.get(2)).contains("\"unknown\"");
    assertThat(lines.get(3)).contains("\"system_error\"");
  }

  @Test
  @DisplayName("--jsonl says of thousands of lines what the classifier says of each")
  void many() {
    List<String> texts =
        IntStream.range(0, 5000)
            .mapToObj(i -> "job " + i + " failed: ECONNRESET é\u2028 \"quoted\"")
            .toList();
    JsonMapper mapper = new JsonMapper();
    String input =
        String.join(
            "\n",
            texts.stream().map(text -> mapper.writeValueAsString(Map.of("text", text))).toList());

    List<String> lines = cli.runWithInput(input, "classify", "--jsonl").lines();

    assertThat(lines).hasSize(5000);
    for (int i = 0; i < 5000; i += 500) {
      assertThat(mapper.readTree(lines.get(i)).get("fingerprint").stringValue())
          .isEqualTo(
              Classifier.standard().classify(ErrorReport.ofText(texts.get(i))).fingerprint());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "nonsense",
        "5",
        "[]",
        "{}",
        "{\"text\": 5}",
        "{\"text\": \"x\", \"http_status\": \"429\"}",
        "{\"text\": \"x\", \"http_status\": 42900}",
        "{\"text\": \"x\"} {\"text\": \"y\"}"
      })
  @DisplayName("a bad line is named by its number; the answers before it stand")
  void badLine(String bad) {
    Cli.Result result =
        cli.runWithInput(
            "{\"text\": \"fine\"}\n" + bad + "\n{\"text\": \"fine\"}\n", "classify", "--jsonl");
    assertThat(result.code()).isEqualTo(2);
    assertThat(result.err()).startsWith("holdfast: line 2").hasLineCount(1);
    assertThat(result.lines()).hasSize(1);
  }

  @Test
  @DisplayName("garbage in arguments is exit code 2; an empty text is unknown (A11)")
  void garbage() {
    assertThat(cli.run("classify", "x", "--http-status", "abc").code()).isEqualTo(2);
    assertThat(cli.run("classify", "x", "--http-status", "1").code()).isEqualTo(2);
    assertThat(cli.run("classify", "x", "--jsonl").code()).isEqualTo(2);
    assertThat(cli.run("classify", "").out()).containsPattern("category +unknown");
    assertThat(cli.run("classify", "--", "--strange").out()).containsPattern("category +unknown");
  }
}
