package dev.holdfast.handler.command;

import dev.holdfast.process.ExitText;
import dev.holdfast.process.OutputLimits;
import dev.holdfast.process.ProgramEnd;
import dev.holdfast.process.ProgramRun;
import dev.holdfast.ticket.ClaimedTicket;
import dev.holdfast.ticket.InvalidTicketException;
import dev.holdfast.worker.HandlerResult;
import dev.holdfast.worker.TicketContext;
import dev.holdfast.worker.TicketHandler;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import tools.jackson.databind.node.ObjectNode;

/**
 * Works tickets of kind {@code command}: runs the program of the ticket's design in a session of
 * its own, with the ticket on stdin, and takes its exit code and its last line for the outcome.
 * Nothing of the program is left when it returns. An interrupt ends the program and comes out as
 * {@link InterruptedException}. Thread-safe.
 */
public final class CommandHandler implements TicketHandler {
  /** Enough for a result on the last line. */
  static final int STDOUT_LIMIT = 1 << 20;

  private static final OutputLimits OUTPUT = OutputLimits.ends(STDOUT_LIMIT, 64 * 1024);

  private final CommandSettings settings;
  private final CommandSource source;

  public CommandHandler(CommandSettings settings) {
    this.settings = settings;
    this.source = new CommandSource(settings.allowInline());
  }

  @Override
  public HandlerResult handle(TicketContext context) throws InterruptedException {
    ClaimedTicket claimed = context.claimed();
    String runId = UUID.randomUUID().toString();
    CommandDesign design;
    Map<String, String> environment;
    try {
      design = source.of(claimed);
      environment = ProgramEnvironment.of(claimed, design, settings, runId);
    } catch (InvalidTicketException e) {
      return HandlerResult.failed(CommandFailures.refused(e));
    }
    try (Workplace place = Workplace.open(claimed, design.directory(), settings.workspaceRoot());
        ProgramRun run =
            ProgramRun.start(
                design.command(),
                place.directory(),
                environment,
                TicketDocument.of(claimed),
                OUTPUT)) {
      ProgramEnd end = run.await(design.timeout(), settings.killGrace());
      return outcome(design, run, end, new Redaction(design, environment));
    } catch (IOException e) {
      return HandlerResult.failed(CommandFailures.notStarted(e));
    }
  }

  private static HandlerResult outcome(
      CommandDesign design, ProgramRun run, ProgramEnd end, Redaction redaction) {
    String how = EndText.of(end, design.command());
    return switch (end) {
      case ProgramEnd.TimedOut timedOut ->
          HandlerResult.failed(CommandFailures.timedOut(how, run, redaction));
      case ProgramEnd.Exited(int code) when code != 0 ->
          HandlerResult.failed(CommandFailures.exited(how, code, run, redaction));
      case ProgramEnd.Exited exited -> succeeded(design, run, redaction);
    };
  }

  private static HandlerResult succeeded(
      CommandDesign design, ProgramRun run, Redaction redaction) {
    LastLine line = LastLine.of(run.stdout());
    if (line.isCutObject()) {
      return HandlerResult.failed(
          CommandFailures.refused(
              "the program's last line on stdout is longer than "
                  + ExitText.size(STDOUT_LIMIT)
                  + " and cannot be stored as the ticket's result: write large results to a file"
                  + " and print its name"));
    }
    Optional<ObjectNode> result = line.object();
    return new HandlerResult.Succeeded(
        result.map(each -> redaction.of(each).toString()).orElse(null), design.review());
  }
}
