package dev.holdfast.handler.command;

import dev.holdfast.failure.Category;
import dev.holdfast.failure.ErrorReport;
import dev.holdfast.failure.ShortText;
import dev.holdfast.process.CutText;
import dev.holdfast.process.ExitText;
import dev.holdfast.process.OutputTail;
import dev.holdfast.process.ProgramRun;
import dev.holdfast.process.TextTooLongException;
import dev.holdfast.ticket.InvalidInputException;
import java.io.IOException;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Reports on a program that did not succeed. */
final class CommandFailures {
  /** The number of bytes of the end of a program's output that go into the error. */
  static final int END_BYTES = 16 * 1024;

  private CommandFailures() {}

  /** Reports a wrong ticket or design: trying again does not help, a person has to change it. */
  static ErrorReport refused(InvalidInputException cause) {
    return refused(Objects.requireNonNullElse(cause.getMessage(), cause.toString()));
  }

  /** Reports a program that broke a rule; only a change of the program helps. */
  static ErrorReport refused(String message) {
    return new ErrorReport(message, null, null, null, Category.CODE_ERROR, null);
  }

  /**
   * Reports a program that the worker's host could not start; texts that are too long no host could
   * pass.
   */
  static ErrorReport notStarted(IOException cause) {
    return ErrorReport.ofMessage(
        cause, cause instanceof TextTooLongException ? Category.CODE_ERROR : Category.SYSTEM_ERROR);
  }

  /**
   * Reports a program that ran longer than it may (a timeout is transient), with its output until
   * then.
   */
  static ErrorReport timedOut(String how, ProgramRun run, OutputRedaction redaction) {
    return new ErrorReport(
        redaction.of(how) + said(run, redaction), null, null, null, Category.TRANSIENT, null);
  }

  /**
   * Reports a program's exit code. Its last line of stdout may state the error itself; otherwise
   * the classifier gets the end of its output.
   */
  static ErrorReport exited(String how, int code, ProgramRun run, OutputRedaction redaction) {
    LastLine last = LastLine.of(run.stdout());
    Optional<ObjectNode> line = last.object();
    if (line.isPresent() && saysError(line.get().path("error"))) {
      return stated(how, code, last, line.get(), run, redaction);
    }
    Optional<FailedResult> failed = line.map(redaction::of).flatMap(FailedResult::of);
    if (failed.isPresent()) {
      return failed(how, code, failed.get(), run, redaction);
    }
    String lost = "";
    if (last.isBrokenError() && run.stderr().total() > 0) {
      String broken = redaction.of(last.text());
      lost = end("stdout", broken, broken.length());
    }
    String text = redaction.of(how) + lost + said(run, redaction);
    return new ErrorReport(text, null, null, code, null, null);
  }

  /**
   * Reports the failure of an agent's program. Its stdout is believed, whatever warnings are on
   * stderr.
   */
  private static ErrorReport failed(
      String how, int code, FailedResult result, ProgramRun run, OutputRedaction redaction) {
    String ended = redaction.of(how);
    String words = result.words(END_BYTES).map(each -> each + "\n(" + ended + ")").orElse(ended);
    String line = result.line().toString();
    String text = words + end("stdout", line, line.length()) + stderr(run, redaction);
    return new ErrorReport(text, null, result.status(), code, null, null);
  }

  private static boolean saysError(JsonNode error) {
    return error.isContainer() || (error.isString() && !error.stringValue().isBlank());
  }

  private static ErrorReport stated(
      String how,
      int code,
      LastLine last,
      ObjectNode line,
      ProgramRun run,
      OutputRedaction redaction) {
    StringBuilder text = new StringBuilder();
    // This works on the tree, because in a text every level of JSON has other escapes.
    JsonNode error = redaction.of(line.get("error"));
    text.append(shortened(error.isString() ? error.stringValue() : error.toString()))
        .append("\n(")
        .append(how)
        .append(')');
    Category category = category(line.path("category"), text);
    Duration retryAfter = retryAfter(line.path("retry_after_ms"), text);
    last.flaw().ifPresent(flaw -> text.append("\n(its last line: ").append(flaw).append(')'));
    // This is for people, and for the classifier where the error itself says nothing to it.
    text.append(stderr(run, redaction));
    return new ErrorReport(redaction.of(text.toString()), null, null, code, category, retryAfter);
  }

  /**
   * Returns the beginning and the end of an error that is very long: either may say what is wrong.
   */
  private static String shortened(String error) {
    if (error.length() <= END_BYTES) {
      return error;
    }
    int half = END_BYTES / 2;
    int end = error.length() - half;
    return String.format(
        Locale.ROOT,
        "%s\n[of %,d characters the middle is left out]\n%s",
        ShortText.of(error, half),
        error.length(),
        error.substring(Character.isLowSurrogate(error.charAt(end)) ? end + 1 : end));
  }

  private static @Nullable Category category(JsonNode stated, StringBuilder text) {
    if (stated.isMissingNode() || stated.isNull()) {
      return null;
    }
    Optional<Category> category = Category.ofWireName(stated.asString(""));
    if (category.isEmpty()) {
      // The names of the five would look like words of an error to the classifier.
      text.append("\n(its category ").append(stated).append(" is none of the five)");
    }
    return category.orElse(null);
  }

  private static @Nullable Duration retryAfter(JsonNode stated, StringBuilder text) {
    if (stated.isMissingNode() || stated.isNull()) {
      return null;
    }
    if (stated.isNumber() && stated.canConvertToLong() && stated.asLong() >= 0) {
      return Duration.ofMillis(stated.asLong());
    }
    text.append("\n(its retry_after_ms is not a whole number of milliseconds)");
    return null;
  }

  /** Returns the end of stderr; that of stdout where stderr is empty. */
  private static String said(ProgramRun run, OutputRedaction redaction) {
    String stderr = stderr(run, redaction);
    return stderr.isEmpty() ? end("stdout", run.stdout(), redaction) : stderr;
  }

  private static String stderr(ProgramRun run, OutputRedaction redaction) {
    return end("stderr", run.stderr(), redaction);
  }

  /** Returns the end of an output. Secrets are removed before the cut, which may go through one. */
  private static String end(String name, OutputTail output, OutputRedaction redaction) {
    return end(name, redaction.of(output.end()), output.total());
  }

  private static String end(String name, String kept, long total) {
    boolean cut = total > END_BYTES;
    String end =
        cut ? CutText.behind(kept.substring(Math.max(0, kept.length() - END_BYTES))) : kept;
    if (end.isBlank()) {
      return "";
    }
    String note =
        cut
            ? "[the last %s of %s of %s]\n"
                .formatted(ExitText.size(END_BYTES), ExitText.size(total), name)
            : "";
    return "\n" + note + end.stripTrailing();
  }
}
