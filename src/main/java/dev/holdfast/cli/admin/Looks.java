package dev.holdfast.cli.admin;

import dev.holdfast.cli.output.PlainText;
import dev.holdfast.queue.QuestionTooSlowException;
import dev.holdfast.queue.StatementRefusedException;
import dev.holdfast.queue.TicketBusyException;
import java.util.List;
import java.util.function.Supplier;

/**
 * Makes one check after the other. One that is refused or takes too long does not stop the rest.
 */
record Looks(List<CheckResult> results) {
  /**
   * Makes a check.
   *
   * @return what was found
   * @throws dev.holdfast.queue.DatabaseUnavailableException if the database is lost, because the
   *     other checks cannot be made then either
   */
  CheckResult.Status add(String check, Supplier<CheckResult> look) {
    CheckResult result;
    try {
      result = look.get();
    } catch (QuestionTooSlowException | TicketBusyException e) {
      result =
          CheckResult.warn(
                  check,
                  "no answer in time: " + PlainText.oneLine(String.valueOf(e.getMessage())),
                  "look what the server is busy with")
              .by(
                  "SELECT pid, wait_event_type, state, query FROM pg_stat_activity WHERE state <>"
                      + " 'idle'");
    } catch (StatementRefusedException e) {
      result =
          CheckResult.skip(
              check, "could not look", PlainText.oneLine(String.valueOf(e.getMessage())));
    }
    results.add(result);
    return result.status();
  }
}
