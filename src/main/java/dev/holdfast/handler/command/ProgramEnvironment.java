package dev.holdfast.handler.command;

import dev.holdfast.process.BaseEnvironment;
import dev.holdfast.process.ProgramRun;
import dev.holdfast.process.Utf8;
import dev.holdfast.ticket.ClaimedTicket;
import dev.holdfast.ticket.Guidance;
import dev.holdfast.ticket.InvalidInputException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A program's environment: what every program needs of the worker's own, what its design asks for,
 * and the ticket's variables. Only named variables of the worker's environment pass, so that a
 * secret with a new name does not slip through.
 */
final class ProgramEnvironment {
  /**
   * The longest guidance in a variable. Linux refuses to start a program with a longer variable
   * (128 KiB), and the whole guidance is on stdin anyway.
   */
  static final int MAX_GUIDANCE_BYTES = 64 * 1024;

  private ProgramEnvironment() {}

  /**
   * @throws InvalidInputException if the design asks for a variable that the worker does not pass
   *     on, or does not have
   */
  static Map<String, String> of(
      ClaimedTicket claimed, CommandDesign design, CommandSettings settings) {
    Map<String, String> environment = BaseEnvironment.of(settings.environment());
    design.passEnvironment().forEach(name -> environment.put(name, passed(name, settings)));
    environment.putAll(design.environment());
    environment.put("HOLDFAST_TICKET_ID", Long.toString(claimed.id()));
    environment.put("HOLDFAST_ATTEMPT", Integer.toString(claimed.attempt()));
    environment.put("HOLDFAST_LEASE_NO", Long.toString(claimed.lease().no()));
    environment.put("HOLDFAST_GUIDANCE", guidance(claimed));
    newestAnswer(claimed).ifPresent(answer -> environment.put("HOLDFAST_ANSWER", answer));
    environment.put(ProgramRun.RUN_ID, ProgramRun.newId());
    return environment;
  }

  private static String passed(String name, CommandSettings settings) {
    if (!settings.passable().contains(name)) {
      throw new InvalidInputException(
          "the design asks for the worker's variable "
              + name
              + ", which it does not pass on: add it to handlers.command.pass-environment, or"
              + " remove it from pass_environment");
    }
    String value = settings.environment().get(name);
    if (value == null) {
      throw new InvalidInputException(
          "the design asks for the variable "
              + name
              + ", which the worker does not have: set it where the worker is started");
    }
    return value;
  }

  /**
   * Returns the newest answer: a text as it is, anything else as JSON; at most 64 KiB, as answers
   * are.
   */
  private static Optional<String> newestAnswer(ClaimedTicket claimed) {
    return claimed.guidance().reversed().stream()
        .filter(each -> each.answer() != null)
        .map(Guidance::text)
        .findFirst();
  }

  private static String guidance(ClaimedTicket claimed) {
    String all =
        claimed.guidance().stream()
            .filter(each -> each.answer() == null)
            .map(Guidance::text)
            .collect(Collectors.joining("\n\n"))
            .replace("\0", "");
    byte[] bytes = all.getBytes(StandardCharsets.UTF_8);
    if (bytes.length <= MAX_GUIDANCE_BYTES) {
      return all;
    }
    return "[The beginning is cut here; all of it is in the document on stdin.]\n"
        + Utf8.afterCut(bytes, bytes.length - MAX_GUIDANCE_BYTES);
  }
}
