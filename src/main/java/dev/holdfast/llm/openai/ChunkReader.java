package dev.holdfast.llm.openai;

import com.openai.core.JsonField;
import com.openai.core.JsonValue;
import com.openai.core.ObjectMappers;
import com.openai.models.chat.completions.ChatCompletionChunk;
import com.openai.models.chat.completions.ChatCompletionChunk.Choice;
import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.Message;
import dev.holdfast.llm.StopReason;
import dev.holdfast.llm.Usage;
import dev.holdfast.llm.wire.AnswerBuilder;
import dev.holdfast.llm.wire.ErrorInStreamException;
import dev.holdfast.llm.wire.InvalidAnswerException;
import dev.holdfast.llm.wire.JsonTree;
import dev.holdfast.llm.wire.Transmission;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads an answer out of chunks, as tolerantly as the many imitators of OpenAI need it: fields may
 * be missing or of a strange type, and the usage may stand anywhere.
 */
final class ChunkReader {
  private final String provider;
  private final Transmission transmission;
  private final AnswerBuilder answer;
  private final ThinkTags text;
  private final CallAssembly calls;
  private final ReasoningDetails details;
  private Usage usage = Usage.NONE;
  private @Nullable String stop;
  private boolean keepsReasoning;
  private boolean anyChunk;
  private boolean anyChoice;
  private boolean refused;

  /**
   * @param provider its name in the configuration
   */
  ChunkReader(String provider, Transmission transmission) {
    this.provider = provider;
    this.transmission = transmission;
    this.answer = transmission.newAnswer();
    this.text = new ThinkTags(answer);
    this.calls = new CallAssembly(answer);
    this.details = new ReasoningDetails(answer);
  }

  /**
   * True when nothing of the answer itself can be missing, nor what it costs. Some servers name the
   * reason "" until they know it.
   */
  boolean isAnswered() {
    return stop != null && !stop.isEmpty() && !usage.equals(Usage.NONE);
  }

  void accept(ChatCompletionChunk chunk) {
    requireNoError(chunk);
    anyChunk = true;
    usage(chunk);
    for (Choice choice : known(chunk._choices())) {
      requireNoError(choice);
      anyChoice = true;
      choice._delta().asKnown().ifPresent(this::delta);
      choice._finishReason().asKnown().ifPresent(reason -> stop = reason.asString());
      found(OpenAiUsage.within(Undeclared.of(choice)));
    }
  }

  /**
   * Throws at a chunk that is an error. Some servers say so only in the event's name, not in its
   * data.
   */
  private static void requireNoError(ChatCompletionChunk chunk) {
    if (chunk._choices().isMissing() && string(Undeclared.of(chunk).get("message")).isPresent()) {
      throw error(JsonTree.of(JsonValue.from(chunk).convert(Object.class)).toString());
    }
  }

  /** Throws at an error that stands beside the text, as OpenRouter tells of the one behind it. */
  private static void requireNoError(Choice choice) {
    if (Undeclared.of(choice).containsKey("error")) {
      String body = JsonTree.of(JsonValue.from(choice).convert(Object.class)).toString();
      if (JsonTree.isError(body)) {
        throw error(body);
      }
    }
  }

  private static ErrorInStreamException error(String body) {
    return new ErrorInStreamException(
        body, new InvalidAnswerException("an error within the answer", null));
  }

  private void usage(ChatCompletionChunk chunk) {
    found(chunk._usage().asKnown().map(OpenAiUsage::of));
    found(OpenAiUsage.ofGroq(Undeclared.of(chunk)));
  }

  /** Takes a usage. The last one counts: some servers report the usage so far with every chunk. */
  private void found(Optional<Usage> found) {
    if (found.isPresent()) {
      usage = found.get();
      transmission.usage(usage);
    }
  }

  private void delta(Choice.Delta delta) {
    Map<String, JsonValue> all = Undeclared.of(delta);
    string(all.get(KeptFields.REASONING))
        .ifPresentOrElse(
            this::reasoning, () -> string(all.get("reasoning")).ifPresent(answer::reasoning));
    JsonValue parts = all.get(KeptFields.DETAILS);
    if (parts != null) {
      details.accept(JsonTree.of(parts.convert(Object.class)));
    }
    delta._content().asKnown().ifPresent(text::accept);
    delta._content().asArray().orElse(List.of()).forEach(this::part);
    delta
        ._refusal()
        .asKnown()
        .ifPresent(
            words -> {
              refused |= !words.isEmpty();
              answer.text(words);
            });
    known(delta._toolCalls()).forEach(calls::accept);
  }

  private void reasoning(String piece) {
    keepsReasoning |= !piece.isEmpty();
    answer.reasoning(piece);
  }

  /** Takes a part of a text in parts, as Mistral's models send it when they think. */
  private void part(JsonValue of) {
    JsonNode part = JsonTree.of(of.convert(Object.class));
    JsonNode thought = part.path("thinking");
    answer.reasoning(thought.asString(""));
    thought.forEach(piece -> answer.reasoning(piece.path("text").asString("")));
    text.accept(part.path("text").asString(""));
  }

  /** Returns the elements of a list without nulls. */
  private static <T> List<T> known(JsonField<List<T>> field) {
    return field.asKnown().orElse(List.of()).stream().filter(Objects::nonNull).toList();
  }

  private static Optional<String> string(@Nullable JsonField<?> value) {
    return value == null ? Optional.empty() : value.asString();
  }

  /** Reads an answer that came in one piece, from a server that does not stream. */
  void document(String text) {
    if (JsonTree.isError(text)) {
      throw new ErrorInStreamException(text, new InvalidAnswerException("an error on 200", null));
    }
    if (!(JsonTree.parse(text) instanceof ObjectNode root) || !root.path("choices").isArray()) {
      String start = text.length() > 200 ? text.substring(0, 200) + "..." : text;
      throw new InvalidAnswerException("HTTP 200 with no answer in it: " + start.strip(), null);
    }
    for (JsonNode choice : root.path("choices")) {
      if (choice instanceof ObjectNode object && object.has("message")) {
        object.set("delta", object.remove("message"));
      }
    }
    try {
      accept(ObjectMappers.jsonMapper().readValue(root.toString(), ChatCompletionChunk.class));
    } catch (IOException e) {
      throw new InvalidAnswerException("HTTP 200 with no answer in it", e);
    }
    done();
  }

  /** Takes the word of the server that the answer is whole, which may name no reason to stop. */
  void done() {
    if (stop == null && anyChoice) {
      stop = "stop";
    }
  }

  CallResult result() {
    text.end();
    if (!anyChunk || (!anyChoice && stop == null)) {
      throw new InvalidAnswerException(
          anyChunk ? "the answer has no choices" : "the answer is empty", null);
    }
    if (stop == null) {
      throw new UncheckedIOException(new EOFException("the stream ended before the answer did"));
    }
    if (stop.equals("error")) {
      throw error("the server ended the answer with finish_reason \"error\"");
    }
    return withKept(answer.build(refused ? StopReason.REFUSED : reason(stop), usage, null));
  }

  private CallResult.Answer withKept(CallResult.Answer built) {
    Message.Assistant message = built.message();
    boolean keeps = keepsReasoning && !message.toolCalls().isEmpty();
    String opaque =
        KeptFields.opaque(
            provider,
            keeps ? message.reasoning() : "",
            calls.extras(message.toolCalls()),
            message.toolCalls().isEmpty() ? null : details.whole());
    return new CallResult.Answer(
        new Message.Assistant(message.text(), message.reasoning(), message.toolCalls(), opaque),
        built.stop(),
        built.usage());
  }

  private static StopReason reason(String stop) {
    return switch (stop) {
      case "stop", "end_turn", "eos" -> StopReason.END;
      case "tool_calls", "function_call" -> StopReason.TOOL_CALLS;
      case "length", "max_tokens" -> StopReason.MAX_TOKENS;
      case "content_filter" -> StopReason.REFUSED;
      default -> StopReason.OTHER;
    };
  }
}
