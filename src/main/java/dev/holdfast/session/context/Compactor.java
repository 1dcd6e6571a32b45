package dev.holdfast.session.context;

import dev.holdfast.llm.Message;
import dev.holdfast.llm.Usage;
import dev.holdfast.session.journal.JournalEntry;
import dev.holdfast.session.retry.Route;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes a conversation smaller. Recent steps stay whole while they fit; older ones are summed up by
 * a model, or elided where that fails. What people have said stays word for word. Calls are never
 * parted from their results.
 */
public record Compactor(Summariser summariser, List<Route> routes) {
  static final String SUMMARY = "Summary of the work so far:\n";
  private static final Logger LOG = LoggerFactory.getLogger(Compactor.class);

  public Compactor {
    routes = List.copyOf(routes);
  }

  /**
   * @param messages a well-formed conversation
   * @param budget tokens that the result should not exceed
   */
  public JournalEntry.Compacted compact(List<Message> messages, long budget)
      throws InterruptedException {
    List<List<Message>> steps = Steps.of(messages);
    int recentFrom = firstRecent(steps, budget / 2);
    List<List<Message>> older = steps.subList(0, recentFrom);
    List<List<Message>> recent = steps.subList(recentFrom, steps.size());
    Optional<Summariser.Summary> summary = summary(older, budget);
    List<List<Message>> shortened =
        summary
            .map(each -> List.of(summarised(older, each, budget / 4)))
            .orElseGet(() -> older.stream().map(Elision::step).toList());
    List<Message> result = Elision.fitted(shortened, recent, budget);
    return new JournalEntry.Compacted(
        result,
        summary.isPresent(),
        summary.map(Summariser.Summary::target).orElse(null),
        summary.map(Summariser.Summary::usage).orElse(Usage.NONE),
        summary.map(Summariser.Summary::costUsd).orElse(null));
  }

  /** The last step is always recent. */
  private static int firstRecent(List<List<Message>> steps, long budget) {
    int from = steps.size() - 1;
    long tokens = from < 0 ? 0 : Tokens.of(steps.get(from));
    while (from > 0 && tokens + Tokens.of(steps.get(from - 1)) <= budget) {
      from--;
      tokens += Tokens.of(steps.get(from));
    }
    return Math.max(0, from);
  }

  private Optional<Summariser.Summary> summary(List<List<Message>> older, long budget)
      throws InterruptedException {
    if (older.stream().flatMap(List::stream).noneMatch(Message.Assistant.class::isInstance)) {
      return Optional.empty();
    }
    try {
      return summariser
          .summarise(Transcript.of(older, budget), routes)
          .filter(summary -> !summary.text().isBlank());
    } catch (RuntimeException e) {
      LOG.warn("older turns are elided, because the summary failed", e);
      return Optional.empty();
    }
  }

  private static List<Message> summarised(
      List<List<Message>> older, Summariser.Summary summary, long tokens) {
    List<Message> result = new ArrayList<>();
    older.stream().flatMap(List::stream).filter(Steps::isSaid).forEach(result::add);
    result.add(new Message.User(SUMMARY + Elision.cut(summary.text(), tokens)));
    return result;
  }
}
