package dev.holdfast.cli.ticket;

import dev.holdfast.cli.output.JsonOutput;
import dev.holdfast.cli.output.Terminal;
import dev.holdfast.cli.output.UsageException;
import dev.holdfast.cli.output.Words;
import dev.holdfast.queue.CallDecision;
import dev.holdfast.ticket.TicketState;
import java.io.InputStream;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of {@code holdfast release} for a ticket that waits for approval of a tool call. */
final class CallOptions {
  @Option(
      names = "--approve-call",
      description = "Let the tool call run that the ticket waits for, exactly as it is shown.")
  private boolean approve;

  @Option(
      names = "--deny-call",
      description = "Do not let it run; --guidance is what the agent is told instead of a result.")
  private boolean deny;

  @Option(names = "--call", paramLabel = "N", description = "Which one, where several wait.")
  private @Nullable String number;

  @Option(
      names = "--arguments",
      paramLabel = "JSON|@FILE",
      description = "With --approve-call: run it with these arguments instead.")
  private @Nullable String arguments;

  @Option(
      names = "--remember",
      description =
          "With --approve-call: also let further calls of this ticket run that have the same tool"
              + " and arguments; the contents of files may differ.")
  private boolean remember;

  /** Returns true if the command is about a tool call. */
  boolean isGiven() {
    return approve || deny;
  }

  void check() {
    if (approve && deny) {
      throw new UsageException("either --approve-call or --deny-call");
    }
    if (!isGiven() && number != null) {
      throw new UsageException("--call needs --approve-call or --deny-call");
    }
    if (!approve && (arguments != null || remember)) {
      throw new UsageException("--arguments and --remember need --approve-call");
    }
    if (arguments != null && remember) {
      throw new UsageException("a call with other arguments cannot be remembered: decide each");
    }
  }

  CallDecision decision(@Nullable String words, InputStream in) {
    return new CallDecision(
        approve,
        number == null ? null : Words.id(number),
        arguments == null ? null : Words.jsonObject("--arguments", arguments, in),
        words,
        remember);
  }

  void report(Terminal terminal, long ticketId, TicketState state, long waiting, boolean json) {
    String done = approve ? "approved" : "denied";
    if (json) {
      Map<String, @Nullable Object> report = new LinkedHashMap<>();
      report.put("ticket", ticketId);
      report.put("decision", done);
      report.put("state", state.wireName());
      report.put("waiting_calls", waiting);
      terminal.line(JsonOutput.of(report));
      return;
    }
    terminal.line(
        done
            + " a call of #"
            + ticketId
            + (state == TicketState.ON_HOLD
                ? "; " + waiting + (waiting == 1 ? " more waits" : " more wait")
                : "; it goes on"));
  }
}
