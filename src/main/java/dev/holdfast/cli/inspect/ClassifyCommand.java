package dev.holdfast.cli.inspect;

import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.JsonOutput;
import dev.holdfast.cli.output.PlainText;
import dev.holdfast.cli.output.UsageException;
import dev.holdfast.cli.root.HoldfastCommand;
import dev.holdfast.config.Settings;
import dev.holdfast.failure.Classifier;
import dev.holdfast.failure.ErrorReport;
import dev.holdfast.failure.Explanation;
import dev.holdfast.failure.Failure;
import dev.holdfast.retry.CategoryPolicy;
import dev.holdfast.retry.DurationText;
import dev.holdfast.retry.RetryHistory;
import dev.holdfast.retry.RetryPolicy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code holdfast classify}. Needs no database. */
@Command(
    name = "classify",
    description =
        "Say what kind of failure an error is, by which rule, and what a ticket with it would do.",
    footer = {
      "",
      "Examples:",
      "  holdfast classify 'HTTP 429: rate limit exceeded, retry after 30s'",
      "  holdfast classify < build.log",
      "  holdfast classify --explain < answer.txt",
      "  holdfast classify --jsonl < errors.jsonl",
      "",
      "--jsonl reads lines {\"text\": ..., \"http_status\": ...} and writes, in the same order,",
      "{\"category\", \"rule\", \"retry_after_ms\", \"http_status\", \"fingerprint\"}."
    })
public final class ClassifyCommand implements Callable<Integer> {
  private final HoldfastCommand root;

  @Parameters(
      paramLabel = "TEXT",
      arity = "0..*",
      description = "The error; without it, standard input is read.")
  private List<String> words = List.of();

  @Option(
      names = "--http-status",
      paramLabel = "N",
      description = "The status of the HTTP answer, if there was one.")
  private @Nullable Integer httpStatus;

  @Option(names = "--jsonl", description = "Classify many, one JSON object per line.")
  private boolean jsonl;

  @Option(
      names = "--explain",
      description =
          "Also say which header, field or words gave the category and the wait, and which other"
              + " rules match.")
  private boolean explain;

  @Option(names = "--json", description = "Print a JSON object.")
  private boolean json;

  public ClassifyCommand(HoldfastCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() {
    Settings settings = root.settings();
    Classifier classifier = Classifier.standard().withRules(settings.classifierRules());
    if (jsonl) {
      if (!words.isEmpty() || httpStatus != null) {
        throw new UsageException(
            "--jsonl reads texts and statuses from standard input; give none here");
      }
      return new ClassifyLines(
              report ->
                  explain
                      ? ClassifyLines.columns(classifier.explain(report))
                      : ClassifyLines.columns(classifier.classify(report)),
              root.terminal())
          .run();
    }
    ErrorReport report =
        ErrorReport.ofText(words.isEmpty() ? standardInput() : String.join(" ", words));
    if (httpStatus != null) {
      report = report.withHttpStatus(ClassifyLines.status(httpStatus));
    }
    Explanation explanation = classifier.explain(report);
    if (json) {
      root.terminal().line(JsonOutput.of(columns(explanation, settings)));
    } else {
      print(explanation.failure(), settings);
      if (explain) {
        print(explanation);
      }
    }
    return ExitCode.DONE;
  }

  private String standardInput() {
    try {
      return new String(root.terminal().in().readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Map<String, @Nullable Object> columns(Explanation explanation, Settings settings) {
    Failure failure = explanation.failure();
    CategoryPolicy policy = settings.retry().of(failure.category());
    Map<String, @Nullable Object> columns =
        new LinkedHashMap<>(
            explain ? ClassifyLines.columns(explanation) : ClassifyLines.columns(failure));
    columns.put("evidence", failure.evidence());
    columns.put("max_retries", policy.maxRetries());
    columns.put("backoff", policy.backoff().type());
    columns.put(
        "next_delay_ms",
        policy.maxRetries() == 0 ? null : firstDelay(failure, settings).toMillis());
    return columns;
  }

  private void print(Failure failure, Settings settings) {
    CategoryPolicy policy = settings.retry().of(failure.category());
    field("category", failure.category().wireName());
    field("rule", failure.rule());
    field(
        "evidence",
        failure.evidence().isEmpty()
            ? "none"
            : PlainText.cut(PlainText.oneLine(failure.evidence()), 200));
    field("http status", failure.httpStatus() == null ? "none" : failure.httpStatus().toString());
    field(
        "retry after",
        failure.retryAfter() == null ? "not said" : DurationText.format(failure.retryAfter()));
    field(
        "policy",
        policy.maxRetries() == 0
            ? "no retries: on hold at once"
            : "%s, backoff %s from %s"
                .formatted(
                    policy.maxRetries() == 1 ? "1 retry" : policy.maxRetries() + " retries",
                    policy.backoff().type().wireName(),
                    DurationText.format(policy.backoff().base())));
    if (policy.maxRetries() > 0) {
      field(
          "next delay",
          DurationText.format(firstDelay(failure, settings))
              + " before the first retry, plus up to "
              + Math.round(settings.retry().jitter() * 100)
              + " % jitter");
    }
    field("fingerprint", failure.fingerprint());
  }

  private void print(Explanation explanation) {
    field("category by", PlainText.cut(PlainText.oneLine(explanation.categoryFrom()), 200));
    String hint = explanation.hintEvidence();
    field("wait by", hint == null ? "nothing says how long" : "\"" + hint + "\"");
    List<String> others = explanation.otherRules();
    field("other rules", others.isEmpty() ? "none match" : String.join(", ", others));
  }

  private static Duration firstDelay(Failure failure, Settings settings) {
    RetryPolicy withoutJitter = new RetryPolicy(() -> 0);
    RetryHistory firstTime = RetryHistory.ofRetryCount(0);
    return withoutJitter.shouldRetryTicket(failure, firstTime, settings.retry()).nextDelay();
  }

  private void field(String name, String value) {
    root.terminal().line(name + " ".repeat(14 - name.length()) + PlainText.oneLine(value));
  }
}
