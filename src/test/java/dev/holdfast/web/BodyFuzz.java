package dev.holdfast.web;

import static dev.holdfast.fuzz.FuzzTarget.require;

import dev.holdfast.fuzz.FuzzTarget;
import dev.holdfast.ticket.InvalidInputException;

/** Bodies of the API: read, or refused in words that are short and name nothing of ours. */
public final class BodyFuzz {
  public static final FuzzTarget BODIES = new FuzzTarget("body", BodyFuzz::bodies);

  private static final int LONGEST_REFUSAL = 2_000;

  private BodyFuzz() {}

  private static void bodies(byte[] input) {
    refusedOrDone(
        () ->
            require(
                CreateRoute.ticket(Bodies.read(input, CreateRoute.Body.class)) != null,
                "a body is a ticket"));
    refusedOrDone(
        () -> {
          GraphRoute.Body body = Bodies.read(input, GraphRoute.Body.class);
          require(body.tickets() == null || GraphRoute.graph(body.tickets()) != null, "a graph");
        });
    refusedOrDone(() -> Bodies.read(input, LimitRoutes.Body.class));
    refusedOrDone(() -> Bodies.read(input, LimitRoutes.WeightBody.class));
  }

  private static void refusedOrDone(Runnable read) {
    try {
      read.run();
    } catch (Refused e) {
      require(e.status() == 400 || e.status() == 422, "a refusal is the sender's: " + e.status());
      told(String.valueOf(e.getMessage()));
    } catch (InvalidInputException e) {
      told(String.valueOf(e.getMessage()));
    }
  }

  private static void told(String words) {
    require(!words.isBlank() && words.length() <= LONGEST_REFUSAL, "short: " + words.length());
    require(!words.contains("dev.holdfast") && !words.contains("tools.jackson"), "plain: " + words);
  }
}
