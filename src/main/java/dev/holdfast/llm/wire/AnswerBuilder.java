package dev.holdfast.llm.wire;

import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.Message;
import dev.holdfast.llm.StopReason;
import dev.holdfast.llm.StreamListener;
import dev.holdfast.llm.ToolCall;
import dev.holdfast.llm.Usage;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Puts an answer together from its pieces. Used by one thread. */
public final class AnswerBuilder {
  private final StreamListener stream;
  private final int maxChars;
  private final StringBuilder text = new StringBuilder();
  private final StringBuilder reasoning = new StringBuilder();
  private final List<OpenCall> calls = new ArrayList<>();
  private long chars;

  /** A tool call that is still being written. */
  public final class OpenCall {
    private final StringBuilder name = new StringBuilder();
    private final StringBuilder arguments = new StringBuilder();
    private String given = "";
    private String id;

    private OpenCall(String id) {
      this.id = id;
    }

    public String id() {
      return id;
    }

    public String name() {
      return name.toString();
    }

    public boolean isNamed(String whole) {
      return whole.contentEquals(name);
    }

    /**
     * Adds a piece of the name. Names usually come whole, but some servers send them in pieces, and
     * some the whole name again with each piece of the arguments.
     */
    public void name(String piece) {
      count(piece);
      if (isNamed(piece)) {
        return;
      }
      boolean first = name.isEmpty() && !piece.isEmpty();
      name.append(piece);
      if (first) {
        stream.toolCallStarted(piece);
      }
    }

    public void id(String known) {
      id = known;
    }

    /** Sets arguments that came with the call. Pieces that follow replace them. */
    public void given(String whole) {
      count(whole);
      given = whole;
    }

    /**
     * Gives the call an empty object where it has no arguments, for a vendor that leaves out the
     * braces.
     */
    public void orEmptyObject() {
      if (arguments.isEmpty() && given.isEmpty()) {
        given = "{}";
      }
    }

    /** Returns true if the arguments are an object. To read all at each piece would take long. */
    public boolean hasWholeArguments() {
      int last = arguments.length() - 1;
      while (last >= 0 && Character.isWhitespace(arguments.charAt(last))) {
        last--;
      }
      return last >= 0
          && arguments.charAt(last) == '}'
          && JsonTree.parse(arguments.toString()).isObject();
    }

    public void arguments(String piece) {
      count(piece);
      arguments.append(piece);
    }

    /** All arguments. Some servers write the text of an object as a text once more. */
    private String all() {
      String all = arguments.isEmpty() ? given : arguments.toString();
      String within = all.startsWith("\"") ? JsonTree.parse(all).asString("") : "";
      return JsonTree.parse(within).isObject() ? within : all;
    }
  }

  AnswerBuilder(StreamListener stream, int maxChars) {
    this.stream = stream;
    this.maxChars = maxChars;
  }

  public void text(String piece) {
    count(piece);
    if (!piece.isEmpty()) {
      text.append(piece);
      stream.text(piece);
    }
  }

  public void reasoning(String piece) {
    count(piece);
    if (!piece.isEmpty()) {
      reasoning.append(piece);
      stream.reasoning(piece);
    }
  }

  /**
   * Counts text that the adapter keeps besides the answer, so that it cannot exceed the answer's
   * bound.
   */
  public void beside(String piece) {
    count(piece);
  }

  /** All of the text until now. */
  public String text() {
    return text.toString();
  }

  /**
   * Turns the beginning of the text into reasoning, after its end has shown that it was.
   *
   * @param length of the reasoning
   * @param textFrom where the text begins after it
   */
  public void beganWithReasoning(int length, int textFrom) {
    reasoning.append(text, 0, length);
    text.delete(0, textFrom);
  }

  /**
   * @param id "" where the server gave none
   */
  public OpenCall call(String id) {
    OpenCall call = new OpenCall(id);
    calls.add(call);
    // An empty call costs memory as well.
    chars += 16;
    return call;
  }

  private void count(String piece) {
    chars += piece.length();
    if (chars > maxChars) {
      throw new UncheckedIOException(new AnswerTooLongException(maxChars));
    }
  }

  /**
   * Returns the whole answer. Calls without an id, or with one that is taken, get a new one, so
   * that each result finds its call.
   *
   * @param opaque see {@link Message.Assistant#opaque}
   */
  public CallResult.Answer build(StopReason stop, Usage usage, @Nullable String opaque) {
    Set<String> taken = new HashSet<>();
    List<ToolCall> done = new ArrayList<>();
    for (OpenCall call : calls) {
      String id = call.id;
      if (id.isBlank() || !taken.add(id)) {
        id = "call_" + UUID.randomUUID().toString().replace("-", "");
      }
      done.add(new ToolCall(id, call.name.toString(), call.all()));
    }
    StopReason reason = stop == StopReason.END && !done.isEmpty() ? StopReason.TOOL_CALLS : stop;
    return new CallResult.Answer(
        new Message.Assistant(text.toString(), reasoning.toString(), done, opaque), reason, usage);
  }
}
