package dev.holdfast.repair;

import dev.holdfast.repair.trace.RunJson;
import dev.holdfast.repair.trace.UnreadableStepException;
import dev.holdfast.session.journal.JournalEntry;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * The runs in the journal of a ticket. The next attempt goes on with the last run, or begins
 * another one where that has ended and a person has sent the ticket back to work.
 *
 * @param number of the last run; 0 for none
 * @param start null where there is none
 * @param end null while it is under way
 */
public record RunHistory(int number, @Nullable RunStart start, @Nullable RunEnd end) {
  private static final Pattern STEP = Pattern.compile("run-(\\d{1,9})/(start|end)");

  /**
   * @throws UnreadableStepException where this version cannot read it
   */
  public static RunHistory of(long ticketId, List<JournalEntry> entries) {
    RunHistory history = new RunHistory(0, null, null);
    for (JournalEntry entry : entries) {
      if (entry instanceof JournalEntry.StepFinished step) {
        Matcher matcher = STEP.matcher(step.step());
        if (matcher.matches()) {
          int number = Integer.parseInt(matcher.group(1));
          history =
              matcher.group(2).equals("start")
                  ? new RunHistory(number, read(ticketId, step, RunStart.class), null)
                  : new RunHistory(number, history.start, read(ticketId, step, RunEnd.class));
        }
      }
    }
    return history;
  }

  private static <T> T read(long ticketId, JournalEntry.StepFinished step, Class<T> type) {
    try {
      JsonNode value = step.value();
      return RunJson.MAPPER.readerFor(type).readValue(value);
    } catch (JacksonException e) {
      throw new UnreadableStepException(ticketId, step.step(), e);
    }
  }

  /** The commit that the ticket's runs are based on; empty before the first. */
  public Optional<String> baseCommit() {
    return start == null ? Optional.empty() : Optional.of(start.baseCommit());
  }

  /**
   * Returns the end that only has to be reported again, because the worker was lost between the
   * run's end and the ticket's. A person who sends the ticket back is not taken for that: a
   * rejection leaves guidance, and a release never leaves more retries used than there were.
   */
  public Optional<RunEnd> untold(RunEnd.At now) {
    RunEnd last = end;
    if (last == null || now.guidance() > last.when().guidance()) {
      return Optional.empty();
    }
    boolean lost = last.reason().isSuccess() || now.retryCount() > last.when().retryCount();
    return lost ? Optional.of(last) : Optional.empty();
  }

  /** Whether the last run has left the patch as a person had refused it. */
  boolean isStillRejected() {
    return start != null
        && end != null
        && start.rejected()
        && !end.reason().isSuccess()
        && end.tree().id().equals(start.tree().id());
  }

  /** The number of the run to work on now. */
  public int next() {
    return number == 0 || end != null ? number + 1 : number;
  }
}
