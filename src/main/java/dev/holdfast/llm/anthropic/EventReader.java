package dev.holdfast.llm.anthropic;

import com.anthropic.core.JsonField;
import com.anthropic.models.messages.MessageDeltaUsage;
import com.anthropic.models.messages.RawContentBlockDelta;
import com.anthropic.models.messages.RawContentBlockStartEvent;
import com.anthropic.models.messages.RawMessageDeltaEvent;
import com.anthropic.models.messages.RawMessageStreamEvent;
import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.FailureKind;
import dev.holdfast.llm.StopReason;
import dev.holdfast.llm.Usage;
import dev.holdfast.llm.wire.AnswerBuilder;
import dev.holdfast.llm.wire.InvalidAnswerException;
import dev.holdfast.llm.wire.JsonTree;
import dev.holdfast.llm.wire.Transmission;
import java.io.EOFException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads an answer out of Anthropic's events. */
final class EventReader {
  private final Transmission transmission;
  private final AnswerBuilder answer;
  private final SignedThinking thinking;
  private final Map<Long, AnswerBuilder.OpenCall> calls = new HashMap<>();
  private final Map<Long, OpenThinking> thoughts = new HashMap<>();
  private final Set<Long> others = new HashSet<>();
  private Usage usage = Usage.NONE;
  private @Nullable String stop;
  private boolean started;
  private boolean complete;

  /** A thinking block that is being written. */
  private static final class OpenThinking {
    private final StringBuilder text = new StringBuilder();
    private final StringBuilder signature = new StringBuilder();
  }

  /**
   * @param provider its name in the configuration
   */
  EventReader(String provider, Transmission transmission) {
    this.thinking = new SignedThinking(provider);
    this.transmission = transmission;
    this.answer = transmission.newAnswer();
  }

  void accept(RawMessageStreamEvent event) {
    started = true;
    event
        .messageStart()
        .flatMap(start -> start._message().asKnown())
        .flatMap(message -> message._usage().asKnown())
        .ifPresent(this::usage);
    event.contentBlockStart().ifPresent(this::opened);
    event
        .contentBlockDelta()
        .ifPresent(
            delta -> {
              long index = delta._index().asKnown().orElse(0L);
              delta._delta().asKnown().ifPresent(piece -> delta(index, piece));
            });
    event.contentBlockStop().flatMap(block -> block._index().asKnown()).ifPresent(this::closed);
    event.messageDelta().ifPresent(this::ended);
    event.messageStop().ifPresent(_ -> complete());
  }

  /** Takes the word of the server that the answer is whole, which may name no reason to stop. */
  private void complete() {
    complete = true;
    stop = stop == null ? "end_turn" : stop;
  }

  /** True when nothing more can come, whether or not the server closes the connection. */
  boolean isComplete() {
    return complete;
  }

  /** True when nothing of the answer itself can be missing, nor what it costs. */
  boolean isAnswered() {
    return stop != null && !usage.equals(Usage.NONE);
  }

  private void opened(RawContentBlockStartEvent event) {
    long index = event._index().asKnown().orElse(0L);
    Optional<RawContentBlockStartEvent.ContentBlock> block = event._contentBlock().asKnown();
    block
        .flatMap(RawContentBlockStartEvent.ContentBlock::text)
        .ifPresent(
            text -> {
              thinking.text();
              text._text().asKnown().ifPresent(answer::text);
            });
    block
        .flatMap(RawContentBlockStartEvent.ContentBlock::thinking)
        .ifPresent(
            thought -> {
              OpenThinking begun = new OpenThinking();
              thoughts.put(index, begun);
              thought._signature().asKnown().ifPresent(begun.signature::append);
              thought._thinking().asKnown().ifPresent(answer::reasoning);
              thought._thinking().asKnown().ifPresent(begun.text::append);
            });
    block
        .flatMap(RawContentBlockStartEvent.ContentBlock::redactedThinking)
        .flatMap(redacted -> redacted._data().asKnown())
        .ifPresent(thinking::redacted);
    block
        .flatMap(RawContentBlockStartEvent.ContentBlock::toolUse)
        .ifPresent(
            use -> {
              AnswerBuilder.OpenCall call = answer.call(use._id().asKnown().orElse(""));
              call.name(use._name().asKnown().orElse(""));
              whole(use._input()).ifPresent(call::given);
              calls.put(index, call);
            });
    if (!calls.containsKey(index)) {
      others.add(index);
    }
  }

  /** Returns the whole input, which some servers give at once instead of in pieces. */
  private static Optional<String> whole(com.anthropic.core.JsonValue input) {
    JsonField<?> field = input;
    return field
        .asObject()
        .filter(map -> !map.isEmpty())
        .map(_ -> JsonTree.of(input.convert(Object.class)).toString())
        .or(field::asString);
  }

  private void delta(long index, RawContentBlockDelta delta) {
    delta.text().flatMap(text -> text._text().asKnown()).ifPresent(answer::text);
    delta
        .inputJson()
        .flatMap(json -> json._partialJson().asKnown())
        .ifPresent(piece -> input(index, piece));
    delta
        .thinking()
        .flatMap(thought -> thought._thinking().asKnown())
        .ifPresent(
            piece -> {
              answer.reasoning(piece);
              thought(index).text.append(piece);
            });
    delta
        .signature()
        .flatMap(signature -> signature._signature().asKnown())
        .ifPresent(piece -> thought(index).signature.append(piece));
  }

  /**
   * Takes a piece of an input. A server's own tools have inputs too, but nobody here runs these.
   */
  private void input(long index, String piece) {
    if (calls.containsKey(index) || !others.contains(index)) {
      call(index).arguments(piece);
    } else {
      answer.beside(piece);
    }
  }

  private AnswerBuilder.OpenCall call(long index) {
    AnswerBuilder.OpenCall call = calls.get(index);
    if (call == null) {
      throw new InvalidAnswerException("arguments without a tool call", null);
    }
    return call;
  }

  private OpenThinking thought(long index) {
    return thoughts.computeIfAbsent(index, _ -> new OpenThinking());
  }

  private void closed(long index) {
    OpenThinking open = thoughts.remove(index);
    if (open != null) {
      thinking.thinking(open.text.toString(), open.signature.toString());
    }
    AnswerBuilder.OpenCall call = calls.remove(index);
    if (call != null) {
      call.orEmptyObject();
    }
  }

  private void ended(RawMessageDeltaEvent event) {
    event
        ._delta()
        .asKnown()
        .flatMap(delta -> delta._stopReason().asKnown())
        .ifPresent(reason -> stop = reason.asString());
    event._usage().asKnown().ifPresent(this::usage);
  }

  private void usage(com.anthropic.models.messages.Usage first) {
    usage =
        new Usage(
            known(first._inputTokens(), 0),
            known(first._cacheReadInputTokens(), 0),
            known(first._cacheCreationInputTokens(), 0),
            known(first._outputTokens(), 0));
    transmission.usage(usage);
  }

  /**
   * Takes the usage at the end. Its numbers are totals; what it leaves out, or all of the input
   * where that is 0, was reported at the start.
   */
  private void usage(MessageDeltaUsage last) {
    long sum =
        known(last._inputTokens(), 0)
            + known(last._cacheReadInputTokens(), 0)
            + known(last._cacheCreationInputTokens(), 0);
    long output = known(last._outputTokens(), usage.output());
    usage =
        sum == 0
            ? new Usage(usage.input(), usage.cacheRead(), usage.cacheWrite(), output)
            : new Usage(
                known(last._inputTokens(), usage.input()),
                known(last._cacheReadInputTokens(), usage.cacheRead()),
                known(last._cacheCreationInputTokens(), usage.cacheWrite()),
                output);
    transmission.usage(usage);
  }

  private static long known(JsonField<Long> count, long otherwise) {
    return Math.max(0, count.asKnown().orElse(otherwise));
  }

  CallResult result() {
    if (!started) {
      throw new InvalidAnswerException("the answer is empty", null);
    }
    if (stop == null) {
      throw new UncheckedIOException(new EOFException("the stream ended before the answer did"));
    }
    if (stop.equals("model_context_window_exceeded")) {
      return new CallResult.Failed(
          FailureKind.CONTEXT_OVERFLOW,
          false,
          "the model's context window is full",
          null,
          stop,
          null,
          true,
          null);
    }
    return answer.build(reason(stop), usage, thinking.opaque());
  }

  private static StopReason reason(String stop) {
    return switch (stop) {
      case "end_turn", "stop_sequence" -> StopReason.END;
      case "tool_use" -> StopReason.TOOL_CALLS;
      case "max_tokens" -> StopReason.MAX_TOKENS;
      case "refusal" -> StopReason.REFUSED;
      default -> StopReason.OTHER;
    };
  }
}
