package dev.holdfast.batch;

import dev.holdfast.failure.Category;
import dev.holdfast.queue.TicketDesk.Conversation;
import dev.holdfast.queue.TicketDesk.Retries;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An order to release held tickets in steps.
 *
 * @param which the held tickets
 * @param canary how many are released first
 * @param ramp how many after that, step by step; 0 is all that are left, and may only be the last
 * @param guidance what the next attempts are told
 */
public record NewRelease(
    Which which,
    int canary,
    List<Integer> ramp,
    @Nullable String guidance,
    Retries retries,
    Conversation conversation) {

  /** Copies the list. */
  public NewRelease {
    ramp = List.copyOf(ramp);
  }

  /**
   * A choice of held tickets, which match all that is given; at least one field is given.
   *
   * @param fingerprint 8 or more characters of it
   */
  public record Which(
      @Nullable List<Long> ids,
      @Nullable String fingerprint,
      @Nullable Category category,
      @Nullable Long batchId) {
    /** Copies the list. */
    public Which {
      ids = ids == null ? null : List.copyOf(ids);
    }
  }

  /**
   * Reads steps as people write them: {@code 10,50,all}.
   *
   * @throws IllegalArgumentException that says what may be written
   */
  public static List<Integer> ramp(String text) {
    List<Integer> steps = new ArrayList<>();
    for (String each : text.split(",", -1)) {
      String step = each.strip();
      if (steps.contains(0)) {
        throw new IllegalArgumentException("no step can come after all; put all last");
      }
      if (step.equals("all")) {
        steps.add(0);
      } else if (step.matches("[1-9][0-9]{0,6}")) {
        steps.add(Integer.valueOf(step));
      } else {
        throw new IllegalArgumentException(
            "\""
                + step.substring(0, Math.min(40, step.length()))
                + "\" is no step; write numbers of tickets with commas, the last one may be all:"
                + " 10,50,all");
      }
    }
    return steps;
  }
}
