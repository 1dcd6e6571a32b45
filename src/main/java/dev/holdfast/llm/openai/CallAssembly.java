package dev.holdfast.llm.openai;

import com.openai.core.JsonField;
import com.openai.core.JsonValue;
import com.openai.models.chat.completions.ChatCompletionChunk.Choice.Delta.ToolCall;
import dev.holdfast.llm.wire.AnswerBuilder;
import dev.holdfast.llm.wire.AnswerBuilder.OpenCall;
import dev.holdfast.llm.wire.JsonTree;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Finds out which call a piece belongs to. By the book each has an index; some servers leave it
 * out, some give 0 to all calls or the same id, some send each call whole.
 */
final class CallAssembly {
  private final AnswerBuilder answer;
  private final Map<Long, OpenCall> byIndex = new HashMap<>();
  private final List<OpenCall> opened = new ArrayList<>();
  private final Map<OpenCall, JsonNode> extras = new HashMap<>();
  private @Nullable OpenCall last;

  /** The whole call whose name came again alone: what follows without a name is the next call's. */
  private @Nullable OpenCall repeated;

  CallAssembly(AnswerBuilder answer) {
    this.answer = answer;
  }

  void accept(ToolCall piece) {
    String id = piece._id().asKnown().orElse("");
    String name = piece._function().asKnown().flatMap(f -> f._name().asKnown()).orElse("");
    Long index = piece._index().asKnown().orElse(null);
    String arguments =
        piece._function().asKnown().flatMap(f -> arguments(f._arguments())).orElse("");
    OpenCall open = index == null ? last : byIndex.get(index);
    if (open != null && open == repeated && name.isEmpty() && !arguments.isBlank()) {
      name = open.name();
    }
    OpenCall call = open != null && isOf(open, index, id, name, arguments) ? open : next(index, id);
    repeated =
        call == open && arguments.isBlank() && !name.isEmpty() && call.hasWholeArguments()
            ? call
            : null;
    if (call.id().isEmpty()) {
      call.id(id);
    }
    call.name(name);
    call.arguments(arguments);
    JsonValue extra = Undeclared.of(piece).get(KeptFields.EXTRA);
    if (extra != null) {
      keep(call, JsonTree.of(extra.convert(Object.class)));
    }
    last = call;
  }

  private void keep(OpenCall call, JsonNode extra) {
    if (extra.isObject()) {
      answer.beside(extra.toString());
      extras.put(call, extra);
    }
  }

  /**
   * Returns the extra fields of the calls, by their ids.
   *
   * @param done all calls of the answer
   */
  ObjectNode extras(List<dev.holdfast.llm.ToolCall> done) {
    ObjectNode byId = JsonMapper.shared().createObjectNode();
    for (int i = 0; i < opened.size(); i++) {
      JsonNode extra = extras.get(opened.get(i));
      if (extra != null) {
        byId.set(done.get(i).id(), extra);
      }
    }
    return byId;
  }

  /**
   * Reads arguments. By the standard they are the text of an object; llama.cpp and TGI have sent
   * the object itself.
   */
  private static Optional<String> arguments(JsonField<String> arguments) {
    return arguments
        .asKnown()
        .or(
            () ->
                arguments
                    .asObject()
                    .flatMap(_ -> arguments.asUnknown())
                    .map(object -> JsonTree.of(object.convert(Object.class)).toString()));
  }

  /**
   * True if the piece begins another call: after a call that came whole, a name does, whatever its
   * index and id are. The same name without arguments only comes again, as with each piece from
   * some servers.
   */
  private static boolean isNext(
      OpenCall open, @Nullable Long index, String id, String name, String arguments) {
    if (name.isEmpty() || (open.isNamed(name) && arguments.isBlank())) {
      return false;
    }
    return (index == null && id.isEmpty()) || open.hasWholeArguments();
  }

  private static boolean isOf(
      OpenCall open, @Nullable Long index, String id, String name, String arguments) {
    boolean otherId = !id.isEmpty() && !open.id().isEmpty() && !id.equals(open.id());
    // Some servers make up another id for each piece.
    boolean other = otherId && (index == null || !name.isEmpty());
    return !other && !isNext(open, index, id, name, arguments);
  }

  private OpenCall next(@Nullable Long index, String id) {
    OpenCall next = answer.call(id);
    opened.add(next);
    if (index != null) {
      byIndex.put(index, next);
    }
    return next;
  }
}
