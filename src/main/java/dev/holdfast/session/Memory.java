package dev.holdfast.session;

import dev.holdfast.llm.Message;
import dev.holdfast.llm.ToolCall;
import dev.holdfast.session.context.ContextGuard;
import dev.holdfast.session.context.ContextMeter;
import dev.holdfast.session.context.History;
import dev.holdfast.session.journal.Input;
import dev.holdfast.session.journal.Journal;
import dev.holdfast.session.journal.JournalEntry;
import dev.holdfast.session.journal.Standing;
import dev.holdfast.session.report.ReportRules;
import dev.holdfast.session.report.Spent;
import dev.holdfast.tool.ToolReply;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * All that a session knows from its journal: {@link #record} writes an entry down and then does to
 * this object exactly what {@link #restore} does to a later one. Not thread-safe.
 */
final class Memory {
  static final String REPORTED = "reported";
  static final String UNKNOWN_EFFECT = "unknown_effect";
  private static final String REPORT_TAKEN = "The report was taken.";
  private static final String REPORT_LEFT = "The report was not taken.";

  private final Journal journal;
  private final History history = new History();
  private final ContextGuard guard;
  private final ContextMeter meter;
  private final Set<String> said = new HashSet<>();
  private @Nullable String task;
  private final Map<String, ToolCall> open = new LinkedHashMap<>();
  private final Set<String> started = new HashSet<>();
  private JournalEntry.@Nullable Answered lastAnswer;
  private JournalEntry.@Nullable Ended ended;
  private JournalEntry.@Nullable Discarded lastDiscarded;
  private JournalEntry.@Nullable TurnFailed lastFailed;
  private Standing standing = Standing.START;
  private Spent spent = Spent.NOTHING;
  private boolean callFailed;
  private boolean personSpoke;
  private int answers;
  private int compactions;

  Memory(Journal journal, ContextGuard guard) {
    this.journal = journal;
    this.guard = guard;
    this.meter = guard.meter();
  }

  void restore() {
    spent = journal.spentBefore();
    journal.each(this::apply);
  }

  void record(JournalEntry... entries) {
    record(List.of(entries));
  }

  void record(List<JournalEntry> entries) {
    if (!entries.isEmpty()) {
      journal.append(entries);
      entries.forEach(this::apply);
    }
  }

  /** Records the last entry of an attempt that may be over. */
  void recordLate(JournalEntry entry) {
    journal.appendLate(entry);
    apply(entry);
  }

  private void apply(JournalEntry entry) {
    switch (entry) {
      case JournalEntry.Said each -> {
        said.add(each.input().key());
        task = each.input().taskKey() == null ? task : each.input().taskKey();
        if (each.input().byPerson()) {
          personSpoke = true;
          standing = standing.withoutPending();
        }
        add(new Message.User(each.input().text()));
        ended = null;
      }
      case JournalEntry.Answered each -> answered(each);
      case JournalEntry.Discarded each -> discarded(each);
      // Its words are for people; models are never shown them (D17).
      case JournalEntry.TurnFailed each -> {
        standing = each.standing() == null ? standing : each.standing();
        lastFailed = each;
      }
      case JournalEntry.ToolStarted each -> started.add(each.callId());
      case JournalEntry.ToolFinished each -> toolFinished(each.reply());
      case JournalEntry.Compacted each -> {
        history.replaceBy(each.messages());
        meter.replaced(each.messages());
        compactions++;
        if (each.summarised()) {
          spent = spent.plus(each.usage(), each.costUsd());
        }
      }
      case JournalEntry.Ended each -> ended(each);
      case JournalEntry.StepFinished each -> {
        // It belongs to work of another kind. A ticket has one kind, so none is met here.
      }
    }
  }

  private void answered(JournalEntry.Answered answer) {
    answer.notices().forEach(this::add);
    add(answer.message());
    meter.answered(answer.usage());
    spent = spent.plus(answer.usage(), answer.costUsd());
    lastAnswer = answer;
    standing = answer.standing() == null ? Standing.behind(answer.turn() - 1) : answer.standing();
    compactions = guard.isNear() ? compactions : 0;
    answers++;
    ended = null;
    open.clear();
    started.clear();
    callFailed = false;
    personSpoke = false;
    answer.message().toolCalls().forEach(call -> open.put(call.id(), call));
  }

  private void discarded(JournalEntry.Discarded each) {
    standing = each.standing() == null ? standing : each.standing();
    if (each.unanswered()) {
      spent = spent.plusUnanswered(each.usage(), each.costUsd());
    } else {
      spent = spent.plus(each.usage(), each.costUsd());
      lastDiscarded = each;
    }
  }

  private void toolFinished(ToolReply reply) {
    open.remove(reply.call().id());
    boolean failed = reply.outcome() != ToolReply.Outcome.OK;
    callFailed |= failed;
    add(new Message.ToolResult(reply.call().id(), reply.call().name(), reply.content(), failed));
  }

  private void ended(JournalEntry.Ended end) {
    String words = end.how().equals(REPORTED) ? REPORT_TAKEN : REPORT_LEFT;
    for (ToolCall call : open.values()) {
      if (call.name().equals(ReportRules.TOOL)) {
        add(new Message.ToolResult(call.id(), call.name(), words, false));
      }
    }
    open.clear();
    lastAnswer = null;
    lastDiscarded = null;
    boolean goesOn = end.how().equals(UNKNOWN_EFFECT);
    standing = goesOn ? standing.next() : Standing.START;
    compactions = goesOn ? compactions : 0;
    ended = end;
  }

  private void add(Message message) {
    history.add(message);
    meter.added(message);
  }

  History history() {
    return history;
  }

  ContextMeter meter() {
    return meter;
  }

  /**
   * Returns the inputs that still have to be said. A task is said only once, and as a changed one
   * where another task was said before.
   */
  List<Input> unsaid(List<Input> inputs) {
    return inputs.stream()
        .filter(each -> !wasSaid(each))
        .map(each -> each.taskKey() == null || task == null ? each : each.changed())
        .toList();
  }

  private boolean wasSaid(Input input) {
    String asked = input.taskKey();
    // An older version wrote just "task", so nobody knows whether its task was another one.
    return (asked == null || input.byPerson())
        ? said.contains(input.key())
        : asked.equals(task) || "task".equals(task);
  }

  /** The last answer of this execution; null where there is none yet. */
  JournalEntry.@Nullable Answered lastAnswer() {
    return lastAnswer;
  }

  /** The last answer of no use in this execution; null where there is none. */
  JournalEntry.@Nullable Discarded lastDiscarded() {
    return lastDiscarded;
  }

  /** The last error that ended a run of a turn; null where there is none. */
  JournalEntry.@Nullable TurnFailed lastFailed() {
    return lastFailed;
  }

  /**
   * Returns the standing after the last entry; the one at the beginning where this execution has no
   * entry yet.
   */
  Standing standing() {
    return standing;
  }

  /** The number of compactions since the last answer that left room in the window. */
  int compactions() {
    return compactions;
  }

  /** The number of answers in the conversation, which is the last one's number. */
  int answers() {
    return answers;
  }

  /** Calls of the last answer that have no result yet. */
  List<ToolCall> openCalls() {
    return List.copyOf(open.values());
  }

  /** True if the result of a call of the last answer is anything but success. */
  boolean callFailed() {
    return callFailed;
  }

  /**
   * True if a person has said something about the last answer's calls or the task since that
   * answer.
   */
  boolean personSpoke() {
    return personSpoke;
  }

  /** True if an open call may have taken effect already, if its tool is not idempotent. */
  boolean mayHaveStarted(ToolCall call) {
    return started.contains(call.id()) || (lastAnswer != null && !lastAnswer.startsKept());
  }

  /** The end of the last execution; null while one is under way or has been told something new. */
  JournalEntry.@Nullable Ended ended() {
    return ended;
  }

  /** The use of the whole ticket, with that of the sessions that were given up. */
  Spent spent() {
    return spent;
  }
}
