package dev.holdfast.llm.scripted;

import dev.holdfast.llm.ChatRequest;
import dev.holdfast.llm.Message;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The answers of a scripted model.
 *
 * <pre>
 * steps:                                  # the n-th answer of each conversation
 *   - text: Let me look.
 *     tool_calls: [{name: read_file, arguments: {path: a.txt}}]
 *     usage: {input: 1200, output: 80}    # also cache_read, cache_write
 *     delay: 500ms
 *   - failure: {status: 529, code: overloaded_error, message: Overloaded, retry_after: 2s}
 *     fail_first: 2                       # then the answer; without it, always
 *     text: Done.
 *   - when: (?i)weather                   # whenever the last message matches
 *     text: Sunny.
 * models: {m-1: {steps: [...]}}           # for one model; the others play the steps above
 * </pre>
 *
 * A step also has {@code reasoning} and {@code stop} (end, tool_calls, max_tokens, refused), a
 * failure {@code kind} instead of a status (timeout, network_error, ...). Arguments that are a
 * string are sent as they are, malformed or not.
 */
public final class Script {
  private final List<ScriptStep> common;
  private final Map<String, List<ScriptStep>> byModel;

  Script(List<ScriptStep> common, Map<String, List<ScriptStep>> byModel) {
    this.common = List.copyOf(common);
    this.byModel = Map.copyOf(byModel);
  }

  /**
   * @param yaml or JSON
   * @throws InvalidScriptException where it is none
   */
  public static Script parse(String yaml) {
    return ScriptReader.read(yaml);
  }

  /**
   * @throws InvalidScriptException where the file cannot be read or is none
   */
  public static Script load(Path file) {
    return ScriptReader.read(file);
  }

  /**
   * Returns the step for a request: one whose {@code when} is found in the last message, otherwise
   * the n-th of the other steps, where n counts the answers in the conversation. It depends on
   * nothing but the conversation, so a resumed session goes on where it was.
   */
  Optional<ScriptStep> step(ChatRequest request) {
    List<ScriptStep> steps = steps(request.model());
    String last = lastMessage(request.messages());
    for (ScriptStep step : steps) {
      Pattern when = step.when();
      if (when != null && when.matcher(last).find()) {
        return Optional.of(step);
      }
    }
    return steps.stream().filter(step -> step.when() == null).skip(answers(request)).findFirst();
  }

  /** The number of steps that are played in order. */
  long length(String model) {
    return steps(model).stream().filter(step -> step.when() == null).count();
  }

  static long answers(ChatRequest request) {
    return request.messages().stream().filter(Message.Assistant.class::isInstance).count();
  }

  private List<ScriptStep> steps(String model) {
    return byModel.getOrDefault(model, common);
  }

  private static String lastMessage(List<Message> messages) {
    return messages.isEmpty()
        ? ""
        : switch (messages.getLast()) {
          case Message.User user -> user.content();
          case Message.Assistant assistant -> assistant.text();
          case Message.ToolResult result -> result.content();
        };
  }
}
