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

  /** A piece of a call; what a server leaves out is empty, or null. */
  private record Piece(@Nullable Long index, String id, String name, String arguments) {
    static Piece of(ToolCall call) {
      return new Piece(
          call._index().asKnown().orElse(null),
          call._id().asKnown().orElse(""),
          call._function().asKnown().flatMap(f -> f._name().asKnown()).orElse(""),
          call._function().asKnown().flatMap(f -> textOf(f._arguments())).orElse(""));
    }

    boolean isNameAlone() {
      return !name.isEmpty() && arguments.isBlank();
    }

    boolean isArgumentsAlone() {
      return name.isEmpty() && !arguments.isBlank();
    }

    Piece named(String other) {
      return new Piece(index, id, other, arguments);
    }
  }

  void accept(ToolCall delta) {
    Piece piece = Piece.of(delta);
    OpenCall open = piece.index() == null ? last : byIndex.get(piece.index());
    if (open != null && open == repeated && piece.isArgumentsAlone()) {
      piece = piece.named(open.name());
    }
    OpenCall call = open != null && isOf(open, piece) ? open : next(piece);
    boolean again = call == open && piece.isNameAlone() && call.hasWholeArguments();
    repeated = again ? call : null;
    if (call.id().isEmpty()) {
      call.id(piece.id());
    }
    call.name(piece.name());
    call.arguments(piece.arguments());
    JsonValue extra = Undeclared.of(delta).get(KeptFields.EXTRA);
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
  private static Optional<String> textOf(JsonField<String> arguments) {
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
  private static boolean isNext(OpenCall open, Piece piece) {
    if (piece.name().isEmpty() || (open.isNamed(piece.name()) && piece.isNameAlone())) {
      return false;
    }
    return (piece.index() == null && piece.id().isEmpty()) || open.hasWholeArguments();
  }

  private static boolean isOf(OpenCall open, Piece piece) {
    boolean otherId =
        !piece.id().isEmpty() && !open.id().isEmpty() && !piece.id().equals(open.id());
    // Some servers make up another id for each piece.
    boolean other = otherId && (piece.index() == null || !piece.name().isEmpty());
    return !other && !isNext(open, piece);
  }

  private OpenCall next(Piece piece) {
    OpenCall next = answer.call(piece.id());
    opened.add(next);
    if (piece.index() != null) {
      byIndex.put(piece.index(), next);
    }
    return next;
  }
}
