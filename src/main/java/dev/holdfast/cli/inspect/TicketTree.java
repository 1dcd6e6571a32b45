package dev.holdfast.cli.inspect;

import dev.holdfast.cli.output.JsonOutput;
import dev.holdfast.cli.output.PlainText;
import dev.holdfast.cli.output.Terminal;
import dev.holdfast.queue.read.ChildRow;
import dev.holdfast.queue.read.StepRow;
import dev.holdfast.queue.read.TicketReader;
import dev.holdfast.queue.read.TicketRow;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A ticket with its steps and the tickets that its jobs have added, and with theirs. */
record TicketTree(TicketReader reader, TicketRow root) {
  private static final int DEEPEST = 10;
  private static final int SHOWN = 100;

  /**
   * @param words the text of a line
   * @param json the same as columns
   */
  private record Branch(String words, Map<String, @Nullable Object> json, List<Branch> below) {}

  /** Prints it as indented lines. */
  void print(Terminal terminal) {
    Branch tree = tree();
    terminal.line(tree.words());
    print(terminal, tree.below(), "");
  }

  private static void print(Terminal terminal, List<Branch> branches, String indent) {
    for (int i = 0; i < branches.size(); i++) {
      boolean last = i == branches.size() - 1;
      terminal.line(indent + (last ? "└─ " : "├─ ") + branches.get(i).words());
      print(terminal, branches.get(i).below(), indent + (last ? "   " : "│  "));
    }
  }

  /** Returns one object, with "below" in each. */
  String json() {
    return JsonOutput.of(columns(tree()));
  }

  private static Map<String, @Nullable Object> columns(Branch branch) {
    Map<String, @Nullable Object> columns = new LinkedHashMap<>(branch.json());
    columns.put("below", branch.below().stream().map(TicketTree::columns).toList());
    return columns;
  }

  private Branch tree() {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("id", root.id());
    json.put("state", root.state());
    return new Branch(
        "#" + root.id() + title(root.title()) + ": " + root.state().replace('_', ' '),
        json,
        below(root.id(), 1));
  }

  private static String title(@Nullable String title) {
    return title == null ? "" : " " + PlainText.cut(title, 80);
  }

  private List<Branch> below(long id, int depth) {
    List<Branch> below = new ArrayList<>();
    if (depth > DEEPEST) {
      return below;
    }
    reader.steps(id).forEach(each -> below.add(step(each, depth)));
    reader.children(id, SHOWN).forEach(each -> below.add(child(each, depth)));
    return below;
  }

  private Branch step(StepRow step, int depth) {
    StringBuilder words = new StringBuilder(step.step());
    if (!step.after().isEmpty()) {
      words.append(" after ").append(String.join(", ", step.after()));
    }
    words.append(": ").append(step.words());
    Long first = step.firstTicketId();
    if (first != null) {
      words.append(" (#").append(first).append(step.tickets() > 1 ? " …" : "");
      Long held = step.firstHeldId();
      words.append(held == null || held.equals(first) ? ")" : "; on hold: #" + held + ")");
    }
    return new Branch(
        words.toString(),
        JsonOutput.columns(step),
        first == null || step.tickets() > 1 ? List.of() : below(first, depth + 1));
  }

  private Branch child(ChildRow child, int depth) {
    return new Branch(
        "#" + child.id() + title(child.title()) + ": " + child.state().replace('_', ' '),
        JsonOutput.columns(child),
        below(child.id(), depth + 1));
  }
}
