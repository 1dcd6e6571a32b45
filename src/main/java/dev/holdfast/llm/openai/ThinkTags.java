package dev.holdfast.llm.openai;

import dev.holdfast.llm.wire.AnswerBuilder;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Separates a model's thoughts from its text where the server sends them as one: {@code
 * <think>...</think>} before the answer, as many local servers do. Otherwise the drafts of a patch
 * in the thoughts would be taken for the patch. Where the model's template has the opening tag in
 * the prompt, only the closing one comes, at the beginning of a line. Then the stream has shown the
 * thoughts as text, but the answer does not contain them. Used by one thread.
 */
final class ThinkTags {
  private static final String OPEN = "<think>";
  private static final String CLOSE = "</think>";

  /** A closing tag at the beginning of a line, with the blanks and line ends after it. */
  private static final Pattern CLOSE_ALONE = Pattern.compile("(?m)^" + CLOSE + "\\s*");

  /** The number of blanks before an answer; after more of them it is a text like any other. */
  private static final int MOST_BLANKS = 1_000;

  private enum Place {
    BEFORE,
    IN_THOUGHTS,
    BEHIND_THOUGHTS,
    IN_TEXT
  }

  private final AnswerBuilder answer;
  private final StringBuilder held = new StringBuilder();
  private Place place = Place.BEFORE;

  ThinkTags(AnswerBuilder answer) {
    this.answer = answer;
  }

  /** Takes the next piece of what the server calls the text. */
  void accept(String piece) {
    held.append(piece);
    if (place == Place.BEFORE) {
      begin();
    }
    if (place == Place.IN_THOUGHTS) {
      think();
    }
    if (place == Place.BEHIND_THOUGHTS) {
      skipBlanks();
    }
    if (place == Place.IN_TEXT) {
      answer.text(take(held.length()));
    }
  }

  private void begin() {
    String start = held.toString().stripLeading();
    if (start.startsWith(OPEN)) {
      take(held.indexOf(OPEN) + OPEN.length());
      place = Place.IN_THOUGHTS;
    } else if (!OPEN.startsWith(start) || held.length() > MOST_BLANKS) {
      place = Place.IN_TEXT;
    }
  }

  private void think() {
    int end = held.indexOf(CLOSE);
    if (end >= 0) {
      answer.reasoning(take(end));
      take(CLOSE.length());
      place = Place.BEHIND_THOUGHTS;
    } else {
      answer.reasoning(take(held.length() - beginningOfClose()));
    }
  }

  /**
   * Skips the blanks between the thoughts and the text. None is kept, because they may be endless.
   */
  private void skipBlanks() {
    held.append(take(held.length()).stripLeading());
    if (!held.isEmpty()) {
      place = Place.IN_TEXT;
    }
  }

  /** Returns the length of the end that may be the beginning of the closing tag. */
  private int beginningOfClose() {
    int length = Math.min(held.length(), CLOSE.length() - 1);
    while (!CLOSE.startsWith(held.substring(held.length() - length))) {
      length--;
    }
    return length;
  }

  private String take(int length) {
    String taken = held.substring(0, length);
    held.delete(0, length);
    return taken;
  }

  /** Ends the text: a rest that looked like the beginning of a tag is not one. */
  void end() {
    String rest = take(held.length());
    if (place == Place.IN_THOUGHTS) {
      answer.reasoning(rest);
    } else if (place == Place.BEFORE) {
      answer.text(rest);
    } else if (place == Place.IN_TEXT) {
      takeThoughtsOutOf(answer.text());
    }
  }

  private void takeThoughtsOutOf(String text) {
    Matcher close = CLOSE_ALONE.matcher(text);
    if (close.find() && !text.substring(0, close.start()).contains(OPEN)) {
      answer.beganWithReasoning(close.start(), close.end());
    }
  }
}
