package dev.holdfast.cli.inspect;

import dev.holdfast.cli.output.PlainText;
import dev.holdfast.cli.output.Terminal;
import dev.holdfast.queue.read.ToolCallRow;
import java.util.List;

/** Prints the tool calls that wait for a person, with all that is needed to decide. */
record ToolCallPage(Terminal terminal) {
  /** Prints nothing where no call waits. */
  void print(long ticketId, List<ToolCallRow> calls) {
    List<ToolCallRow> waiting = calls.stream().filter(ToolCallRow::waits).toList();
    if (waiting.isEmpty()) {
      return;
    }
    terminal.line("");
    terminal.line("waits for your word on:");
    for (ToolCallRow call : waiting) {
      terminal.line("  call " + call.id() + ", " + PlainText.oneLine(call.tool()));
      terminal.line("    arguments: " + PlainText.oneLine(call.arguments()));
      if (!call.effect().isBlank()) {
        terminal.line("    effect:");
        PlainText.lines(call.effect()).lines().forEach(line -> terminal.line("      " + line));
      }
    }
    String which = waiting.size() == 1 ? "" : " --call " + waiting.getFirst().id();
    terminal.line(
        ("  holdfast release %s --approve-call%s; or --deny-call with --guidance TEXT; or"
                + " --approve-call with --arguments JSON")
            .formatted(ticketId, which));
  }
}
