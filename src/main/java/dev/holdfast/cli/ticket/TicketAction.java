package dev.holdfast.cli.ticket;

import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.JsonOutput;
import dev.holdfast.cli.output.PlainText;
import dev.holdfast.cli.output.Progress;
import dev.holdfast.cli.output.Terminal;
import dev.holdfast.queue.DatabaseUnavailableException;
import dev.holdfast.ticket.HoldfastException;
import dev.holdfast.ticket.IllegalTransitionException;
import dev.holdfast.ticket.InvalidInputException;
import dev.holdfast.ticket.NotFoundException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Does one thing to several tickets, each in a transaction of its own, and says what happened to
 * each. Used by one thread.
 */
final class TicketAction {
  private final Terminal terminal;
  private final String done;
  private final boolean json;
  private final @Nullable String release;
  private final IntSupplier released;
  private final List<Long> changed = new ArrayList<>();
  private final List<Refusal> refusals = new ArrayList<>();

  private record Refusal(long id, String error) {}

  /** The action on a ticket. */
  @FunctionalInterface
  interface Change {
    void apply(long ticketId);
  }

  /**
   * @param done what was done, in the past: {@code released}
   */
  TicketAction(Terminal terminal, String done, boolean json) {
    this(terminal, done, json, null, () -> 0);
  }

  private TicketAction(
      Terminal terminal,
      String done,
      boolean json,
      @Nullable String release,
      IntSupplier released) {
    this.terminal = terminal;
    this.done = done;
    this.json = json;
    this.release = release;
    this.released = released;
  }

  /**
   * Makes an action that says how it can be undone.
   *
   * @param release the key of the release
   * @param released how many tickets were released in the end: a workflow takes its steps with it
   */
  static TicketAction releasing(
      Terminal terminal, boolean json, String release, IntSupplier released) {
    return new TicketAction(terminal, "released", json, release, released);
  }

  /**
   * @return the exit code: 3 if any ticket was refused
   */
  int run(Iterator<Long> ids, Change change) {
    List<Long> all = new ArrayList<>();
    ids.forEachRemaining(all::add);
    Progress progress = new Progress(terminal, done);
    try {
      for (long id : all) {
        if (apply(id, change, all.size() == 1)) {
          progress.step((changed.size() + refusals.size()) / (double) all.size());
        }
      }
    } catch (HoldfastException e) {
      progress.end();
      if (!isFirst()) {
        reportBefore(DatabaseUnavailableException.isAway(e) ? "the database was lost" : "it ended");
      }
      throw e;
    }
    progress.end();
    report();
    return refusals.isEmpty() ? ExitCode.DONE : ExitCode.REFUSED;
  }

  /**
   * Returns false if it was refused. What is wrong with the only ticket may be wrong with the
   * database or with what was typed, so it ends the command.
   */
  private boolean apply(long id, Change change, boolean isOnly) {
    try {
      change.apply(id);
      changed.add(id);
      return true;
    } catch (IllegalTransitionException | NotFoundException e) {
      refusals.add(new Refusal(id, message(e)));
      return false;
    } catch (HoldfastException e) {
      boolean ofWhatWasTyped = e instanceof InvalidInputException && isFirst();
      if (isOnly || ofWhatWasTyped || DatabaseUnavailableException.isOfAllTickets(e)) {
        throw e;
      }
      refusals.add(new Refusal(id, message(e)));
      return false;
    }
  }

  private boolean isFirst() {
    return changed.isEmpty() && refusals.isEmpty();
  }

  private static String message(HoldfastException e) {
    return PlainText.oneLine(e.getMessage());
  }

  private void report() {
    tellRefusals();
    if (json) {
      tellJson();
      return;
    }
    summarize(changed.size() + refusals.size());
    if (!changed.isEmpty() && released.getAsInt() > 1) {
      tellUndo();
    }
  }

  /**
   * Reports what was done until then: without it nobody knows where to go on, or how to undo it.
   */
  private void reportBefore(String end) {
    tellRefusals();
    if (json) {
      tellJson();
    } else if (!changed.isEmpty()) {
      terminal.line("%s %s before %s: %s".formatted(done, changed.size(), end, numbers(changed)));
      if (release != null) {
        tellUndo();
      }
    }
  }

  private void tellRefusals() {
    refusals.forEach(
        refusal -> terminal.progress("holdfast: #" + refusal.id() + ": " + refusal.error()));
  }

  private void tellJson() {
    Map<String, @Nullable Object> report = new LinkedHashMap<>();
    report.put(done.replace(" ", "_"), changed);
    report.put("refused", refusals);
    if (release != null) {
      report.put("release", release);
    }
    terminal.line(JsonOutput.of(report));
  }

  private void tellUndo() {
    terminal.line(
        "for a minute you can take back what no worker has begun: holdfast release undo "
            + release);
  }

  private void summarize(int all) {
    if (all == 1) {
      changed.forEach(id -> terminal.line(done + " #" + id));
    } else if (refusals.isEmpty()) {
      terminal.line(done + " all " + all + ": " + numbers(changed));
    } else {
      terminal.line(
          "%s %s of %s; refused %s"
              .formatted(
                  done, changed.size(), all, numbers(refusals.stream().map(Refusal::id).toList())));
    }
  }

  private static String numbers(List<Long> ids) {
    int shown = Math.min(ids.size(), 20);
    String list = String.join(" ", ids.subList(0, shown).stream().map(id -> "#" + id).toList());
    return ids.size() > shown ? list + " and " + (ids.size() - shown) + " more" : list;
  }
}
