package dev.holdfast.handler.command;

import dev.holdfast.retry.DurationText;
import dev.holdfast.schema.Enqueues;
import dev.holdfast.ticket.Review;
import dev.holdfast.worker.ReviewRule;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;

/**
 * A design of kind {@code command}.
 *
 * @param command the program and its arguments
 * @param directory the working directory; empty for one of the attempt's own
 * @param timeout how long an attempt may run; default {@link #DEFAULT_TIMEOUT}
 * @param environment variables of its own
 * @param passEnvironment names of the worker's variables it asks for
 * @param review what a success waits for; default a person
 * @param enqueues which tickets its jobs may add
 */
record CommandDesign(
    List<String> command,
    Optional<Path> directory,
    Duration timeout,
    Map<String, String> environment,
    List<String> passEnvironment,
    ReviewRule review,
    Enqueues enqueues) {
  static final Duration DEFAULT_TIMEOUT = Duration.ofMinutes(10);

  CommandDesign {
    command = List.copyOf(command);
    environment = Map.copyOf(environment);
    passEnvironment = List.copyOf(passEnvironment);
  }

  /** Makes one for a document that is valid by its schema. */
  static CommandDesign of(JsonNode document) {
    Map<String, String> environment = new TreeMap<>();
    document
        .path("environment")
        .forEachEntry((name, value) -> environment.put(name, value.asString()));
    return new CommandDesign(
        texts(document.path("command")),
        document.path("directory").stringValueOpt().map(Path::of),
        document.path("timeout").stringValueOpt().map(DurationText::parse).orElse(DEFAULT_TIMEOUT),
        environment,
        texts(document.path("pass_environment")),
        ReviewRule.of(document.path("review"), Review.HUMAN),
        Enqueues.of(document));
  }

  private static List<String> texts(JsonNode array) {
    return array.valueStream().map(JsonNode::asString).toList();
  }
}
