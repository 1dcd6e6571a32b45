package dev.holdfast.handler.command;

import dev.holdfast.process.CutText;
import dev.holdfast.process.ExitText;
import dev.holdfast.process.LeftPrograms;
import dev.holdfast.process.NotPreparedException;
import dev.holdfast.process.OutputLimits;
import dev.holdfast.process.OutputTail;
import dev.holdfast.process.OwnSession;
import dev.holdfast.process.ProgramEnd;
import dev.holdfast.process.ProgramRun;
import dev.holdfast.process.ProgramUser;
import dev.holdfast.process.Utf8;
import dev.holdfast.schema.Question;
import dev.holdfast.ticket.ClaimedTicket;
import dev.holdfast.ticket.InvalidInputException;
import dev.holdfast.ticket.Review;
import dev.holdfast.worker.HandlerResult;
import dev.holdfast.worker.TicketContext;
import dev.holdfast.worker.TicketHandler;
import dev.holdfast.worker.WorkerUnfitException;
import dev.holdfast.worker.output.OutputFollower;
import dev.holdfast.worker.output.OutputSource;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Works on tickets of kind {@code command}: runs the program of the ticket's design in a session of
 * its own, with the ticket on stdin. Its exit code and its last line give the outcome. Nothing of
 * the program is left when it returns. An interrupt ends the program and comes out as {@link
 * InterruptedException}. Thread-safe.
 */
public final class CommandHandler implements TicketHandler {
  /** The number of bytes of stdout that are kept, which is enough for a result on the last line. */
  static final int STDOUT_LIMIT = 1 << 20;

  /**
   * The number of bytes of the end of stdout that are the result of a program without a JSON
   * result.
   */
  static final int TEXT_RESULT = 16 * 1024;

  private static final OutputLimits OUTPUT = OutputLimits.ends(STDOUT_LIMIT, 64 * 1024);

  private final CommandSettings settings;
  private final Optional<ProgramUser> user;
  private final CommandSource source;
  private final OutputFollower follower;

  /**
   * @param follower is shown what the programs print
   * @throws IllegalArgumentException if programs cannot be started as the user of the settings
   */
  public CommandHandler(CommandSettings settings, OutputFollower follower) {
    this.user =
        Optional.of(settings.user()).filter(Predicate.not(String::isEmpty)).map(ProgramUser::named);
    this.settings =
        user.map(each -> settings.withEnvironment(each.environment(settings.environment())))
            .orElse(settings);
    this.follower = follower;
    this.source = new CommandSource(settings.allowInline());
  }

  @Override
  public HandlerResult handle(TicketContext context) throws InterruptedException {
    ClaimedTicket claimed = context.claimed();
    CommandDesign design;
    Map<String, String> environment = new HashMap<>();
    try {
      design = source.of(claimed);
      environment.putAll(ProgramEnvironment.of(claimed, design, settings));
      context.traceparent().ifPresent(trace -> environment.put("TRACEPARENT", trace));
    } catch (InvalidInputException e) {
      return HandlerResult.failed(CommandFailures.refused(e));
    }
    LeftPrograms.endBeforeAttempt(claimed.attempt(), settings.killGrace());
    try (CommandDirectory place =
            CommandDirectory.open(claimed, design.directory(), settings.workspaceRoot(), user);
        ProgramRun run =
            ProgramRun.start(
                session(design, place.directory(), environment),
                TicketDocument.of(claimed),
                OUTPUT)) {
      OutputRedaction redaction = new OutputRedaction(design, environment);
      return outcome(claimed.id(), design, run, await(claimed, design, run, redaction), redaction);
    } catch (NotPreparedException e) {
      throw new WorkerUnfitException(String.valueOf(e.getMessage()), e);
    } catch (IOException e) {
      return HandlerResult.failed(CommandFailures.notStarted(e));
    }
  }

  private OwnSession session(CommandDesign design, Path directory, Map<String, String> environment)
      throws IOException {
    OwnSession session = OwnSession.of(design.command(), directory, environment);
    return user.map(session::as).orElse(session);
  }

  private ProgramEnd await(
      ClaimedTicket claimed, CommandDesign design, ProgramRun run, OutputRedaction redaction)
      throws InterruptedException {
    try (OutputFollower.Followed followed =
        follower.follow(claimed, redaction.hidden(), source(run.stdout()), source(run.stderr()))) {
      return run.await(design.timeout(), settings.killGrace());
    }
  }

  private static OutputSource source(OutputTail output) {
    return (position, most, ended) -> {
      OutputTail.Piece piece = output.since(position, most, ended);
      return new OutputSource.Piece(piece.from(), piece.to(), piece.text());
    };
  }

  private static HandlerResult outcome(
      long ticket,
      CommandDesign design,
      ProgramRun run,
      ProgramEnd end,
      OutputRedaction redaction) {
    String how = EndText.of(end, design.command());
    return switch (end) {
      case ProgramEnd.TimedOut timedOut ->
          HandlerResult.failed(CommandFailures.timedOut(how, run, redaction));
      case ProgramEnd.Exited(int code) when code != 0 ->
          HandlerResult.failed(CommandFailures.exited(how, code, run, redaction));
      case ProgramEnd.Exited exited ->
          succeeded(design.review().of(ticket), design, run, redaction);
    };
  }

  private static HandlerResult succeeded(
      Review review, CommandDesign design, ProgramRun run, OutputRedaction redaction) {
    LastLine line = LastLine.of(run.stdout());
    if (line.isCutObject()) {
      return HandlerResult.failed(
          CommandFailures.refused(
              "the program's last line on stdout is longer than "
                  + ExitText.size(STDOUT_LIMIT)
                  + " and cannot be stored as the ticket's result: write large results to a file"
                  + " and print its name"));
    }
    Optional<String> broken = line.broken(!design.enqueues().allowed().isEmpty());
    if (broken.isPresent()) {
      return HandlerResult.failed(
          CommandFailures.refused(
              "the program's last line was to ask or to enqueue, but cannot be read as JSON: "
                  + redaction.of(broken.get())));
    }
    Optional<ObjectNode> question = line.object().filter(Question::isMeant);
    if (question.isPresent()) {
      return asked(redaction.of(question.get()));
    }
    Optional<ObjectNode> result =
        line.object().or(() -> text(run, redaction)).map(each -> (ObjectNode) redaction.of(each));
    try {
      String enqueues = result.map(each -> enqueues(each, design)).orElse(null);
      return new HandlerResult.Succeeded(
          result.map(ObjectNode::toString).orElse(null), review, enqueues);
    } catch (IllegalArgumentException e) {
      return HandlerResult.failed(
          CommandFailures.refused("the program's last line: " + e.getMessage()));
    }
  }

  /**
   * Takes the tickets to add out of the result. Where the design allows none, the result may have
   * any "enqueue".
   */
  private static @Nullable String enqueues(ObjectNode result, CommandDesign design) {
    return design.enqueues().allowed().isEmpty()
        ? null
        : design.enqueues().steps(result.remove("enqueue"));
  }

  private static HandlerResult asked(JsonNode question) {
    try {
      return HandlerResult.asks(Question.of(question));
    } catch (IllegalArgumentException e) {
      return HandlerResult.failed(CommandFailures.refused(String.valueOf(e.getMessage())));
    }
  }

  /**
   * Returns the end of the output as the result where there is no JSON; empty where there is no
   * output.
   */
  private static Optional<ObjectNode> text(ProgramRun run, OutputRedaction redaction) {
    OutputTail stdout = run.stdout();
    String kept = stdout.total() > STDOUT_LIMIT ? CutText.behind(stdout.end()) : stdout.end();
    // Secrets are removed before the cut, which may go through one.
    String text = end(redaction.of(kept).strip());
    return text.isEmpty()
        ? Optional.empty()
        : Optional.of(ProgramJson.MAPPER.createObjectNode().put("text", text));
  }

  /**
   * Returns the last lines that are together not too long. If the last line alone is, returns its
   * end with a note.
   */
  private static String end(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    if (bytes.length <= TEXT_RESULT) {
      return text;
    }
    String end = Utf8.afterCut(bytes, bytes.length - TEXT_RESULT);
    int line = end.indexOf('\n') + 1;
    return line > 0
        ? end.substring(line).strip()
        : "[the last %s of the last line, which is longer]\n".formatted(ExitText.size(TEXT_RESULT))
            + end;
  }
}
