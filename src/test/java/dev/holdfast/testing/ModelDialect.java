package dev.holdfast.testing;

import java.util.List;

/** How a vendor puts an answer on the wire. */
sealed interface ModelDialect permits OpenAiDialect, AnthropicDialect {
  /** The answer in one document. */
  String document(ModelReply reply, String model);

  /** The same as server-sent events, each complete with its blank line. */
  List<String> events(ModelReply reply, String model);

  /** The body of an error answer. */
  String error(String type, String message);

  /** An error as an event within a stream. */
  String errorEvent(String type, String message);

  static ModelDialect of(ModelRequest request) {
    return request.isAnthropic() ? new AnthropicDialect() : new OpenAiDialect();
  }

  /** A text in pieces of at most that many characters. */
  static List<String> pieces(String text, int size) {
    return java.util.stream.IntStream.iterate(0, at -> at < text.length(), at -> at + size)
        .mapToObj(at -> text.substring(at, Math.min(text.length(), at + size)))
        .toList();
  }
}
