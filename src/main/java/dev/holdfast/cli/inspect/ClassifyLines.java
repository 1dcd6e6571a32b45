package dev.holdfast.cli.inspect;

import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.JsonOutput;
import dev.holdfast.cli.output.Terminal;
import dev.holdfast.cli.output.UsageException;
import dev.holdfast.failure.ErrorReport;
import dev.holdfast.failure.Explanation;
import dev.holdfast.failure.Failure;
import dev.holdfast.process.Utf8;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Classifies lines, several at once. It stops at the first bad line, because otherwise the answers
 * would not fit the questions. Used by one thread.
 */
public final class ClassifyLines {
  private static final int BATCH = 256;

  private final JsonMapper mapper = new JsonMapper();
  private final Function<ErrorReport, Map<String, @Nullable Object>> answers;
  private final Terminal terminal;
  private final List<Line> batch = new ArrayList<>();

  /**
   * @param answers the columns that answer a report
   */
  ClassifyLines(Function<ErrorReport, Map<String, @Nullable Object>> answers, Terminal terminal) {
    this.answers = answers;
    this.terminal = terminal;
  }

  private record Line(long number, String text) {}

  /** One of the two is null. */
  private record Answer(@Nullable String json, @Nullable UsageException refusal) {}

  int run() {
    try (BufferedReader lines = terminal.reader()) {
      long number = 0;
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        number++;
        batch.add(new Line(number, number == 1 ? Utf8.withoutMark(line) : line));
        // A caller that waits for the answer before asking again gets it at once.
        if (batch.size() == BATCH || !lines.ready()) {
          answerBatch();
        }
      }
      return ExitCode.DONE;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void answerBatch() {
    List<Answer> answers =
        batch.parallelStream().filter(line -> !line.text.isBlank()).map(this::answer).toList();
    batch.clear();
    for (Answer answer : answers) {
      if (answer.refusal != null) {
        throw answer.refusal;
      }
      terminal.line(String.valueOf(answer.json));
    }
    terminal.out().flush();
  }

  private Answer answer(Line line) {
    try {
      return new Answer(JsonOutput.of(answers.apply(report(mapper.readTree(line.text)))), null);
    } catch (JacksonException e) {
      String shape = "each line is {\"text\": ..., \"http_status\": ...}";
      return refusal(line, " is not JSON; " + shape, e);
    } catch (UsageException e) {
      return refusal(line, ": " + e.getMessage(), e);
    }
  }

  private static Answer refusal(Line line, String reason, Exception cause) {
    return new Answer(null, new UsageException("line " + line.number + reason, cause));
  }

  private static ErrorReport report(JsonNode line) {
    JsonNode text = line.isObject() ? line.get("text") : null;
    if (text == null || !(text.isString() || text.isNull())) {
      throw new UsageException("needs \"text\" with the error, a string or null");
    }
    ErrorReport report = ErrorReport.ofText(text.isNull() ? null : text.stringValue());
    JsonNode status = line.get("http_status");
    if (status == null || status.isNull()) {
      return report;
    }
    if (!status.isInt()) {
      throw new UsageException("http_status must be a whole number, or absent");
    }
    return report.withHttpStatus(status(status.intValue()));
  }

  public static int status(int status) {
    if (status < 100 || status > 999) {
      throw new UsageException("the HTTP status " + status + " is none; allowed: 100 to 999");
    }
    return status;
  }

  public static Map<String, @Nullable Object> columns(Failure failure) {
    Map<String, @Nullable Object> columns = new LinkedHashMap<>();
    columns.put("category", failure.category());
    columns.put("rule", failure.rule());
    columns.put(
        "retry_after_ms", failure.retryAfter() == null ? null : failure.retryAfter().toMillis());
    columns.put("http_status", failure.httpStatus());
    columns.put("fingerprint", failure.fingerprint());
    return columns;
  }

  /** Returns the same with what {@code --explain} adds. */
  public static Map<String, @Nullable Object> columns(Explanation explanation) {
    Map<String, @Nullable Object> columns = columns(explanation.failure());
    columns.put("category_from", explanation.categoryFrom());
    columns.put("hint_from", explanation.hintEvidence());
    columns.put("other_rules", explanation.otherRules());
    return columns;
  }
}
