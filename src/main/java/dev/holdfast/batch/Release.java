package dev.holdfast.batch;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A release of many held tickets in steps, and how far it is.
 *
 * @param selection which tickets were asked for, as JSON text
 * @param steps how many tickets each step releases; 0 is all that are left
 * @param step the step it is in, from 1
 * @param total how many held tickets it began with
 * @param waiting released, neither ended nor on hold
 * @param forAnswer released, and on hold for a person's answer or approval
 * @param forProvider released, and on hold for a provider or a budget
 * @param sameError failed with the error that they were held with
 * @param otherError on hold again for another reason
 * @param held on hold by a person, or their release was taken back
 * @param ended cancelled by a person, or deleted
 * @param skipped released or cancelled by somebody else before
 * @param state {@code running}, {@code completed} or {@code stopped}
 * @param reason why it stopped, or what keeps it from going on
 */
public record Release(
    long id,
    Instant createdAt,
    String createdBy,
    String selection,
    List<Integer> steps,
    @Nullable String guidance,
    int step,
    long total,
    long released,
    long waiting,
    long forAnswer,
    long forProvider,
    long succeeded,
    long sameError,
    long otherError,
    long held,
    long ended,
    long skipped,
    String state,
    @Nullable String reason,
    @Nullable Instant endedAt) {
  private static final int IDS_SHOWN = 10;

  /** Copies the list. */
  public Release {
    steps = List.copyOf(steps);
  }

  public boolean isRunning() {
    return state.equals("running");
  }

  /**
   * Says which tickets were asked for, as in {@code fingerprint 3f2a9c1b, category api_error},
   * {@code batch 7} or {@code #17 #18 and 40 more}.
   */
  public String selectionWords() {
    JsonNode asked = JsonMapper.shared().readTree(selection);
    List<String> words = new ArrayList<>();
    JsonNode ids = asked.path("ids");
    if (!ids.isMissingNode()) {
      String shown =
          ids.valueStream()
              .limit(IDS_SHOWN)
              .map(id -> "#" + id.asString())
              .collect(Collectors.joining(" "));
      int more = ids.size() - IDS_SHOWN;
      words.add(more > 0 ? String.format(Locale.ROOT, "%s and %,d more", shown, more) : shown);
    }
    for (String by : List.of("fingerprint", "category", "batch_id")) {
      if (asked.has(by)) {
        words.add(by.replace("_id", "") + " " + asked.get(by).asString());
      }
    }
    return String.join(", ", words);
  }

  /** Says the steps, as in {@code 3, 10, 50, all}. */
  public String stepWords() {
    return steps.stream()
        .map(each -> each == 0 ? "all" : each.toString())
        .collect(Collectors.joining(", "));
  }

  /** Says how far it is, as in {@code step 2 of 4: released 13 of 500, 11 came through, 2 wait}. */
  public String progress() {
    StringBuilder words = new StringBuilder();
    if (isRunning()) {
      words.append("step ").append(step).append(" of ").append(steps.size()).append(": ");
    } else {
      words.append(state).append(": ");
    }
    words.append(String.format(Locale.ROOT, "released %,d of %,d", released, total));
    add(words, succeeded, "came through");
    add(words, waiting, "wait");
    add(words, forAnswer, "wait for a person's answer");
    add(words, forProvider, "wait for a provider or a budget");
    add(words, sameError, "failed with the same error");
    add(words, otherError, "on hold with another error");
    add(words, held, "held by a person or taken back");
    add(words, ended, "cancelled");
    add(words, skipped, "skipped");
    return reason == null ? words.toString() : words + "; " + reason;
  }

  private static void add(StringBuilder words, long count, String what) {
    if (count > 0) {
      words.append(String.format(Locale.ROOT, ", %,d %s", count, what));
    }
  }
}
