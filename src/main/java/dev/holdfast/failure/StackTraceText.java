package dev.holdfast.failure;

import java.util.List;

/**
 * Writes an exception in the JDK's form, with fewer frames for each cause so that the root cause of
 * a deep chain stays in the text. Each message is kept whole up to {@link #MAX_MESSAGE} characters.
 */
final class StackTraceText {
  private static final int MAX_FRAMES = 30;
  private static final int MAX_MESSAGE = 1_000_000;

  private StackTraceText() {}

  static String of(Throwable outermost) {
    List<Throwable> chain = CauseChain.of(outermost);
    StringBuilder out = new StringBuilder();
    for (int i = 0; i < chain.size(); i++) {
      out.append(i == 0 ? "" : "Caused by: ");
      append(out, chain.get(i));
    }
    return out.toString().stripTrailing();
  }

  private static void append(StringBuilder out, Throwable link) {
    String head = String.valueOf(link);
    out.append(head, 0, Math.min(head.length(), MAX_MESSAGE)).append('\n');
    StackTraceElement[] frames = link.getStackTrace();
    for (int i = 0; i < Math.min(frames.length, MAX_FRAMES); i++) {
      out.append("\tat ").append(frames[i]).append('\n');
    }
    if (frames.length > MAX_FRAMES) {
      out.append("\t... ").append(frames.length - MAX_FRAMES).append(" more\n");
    }
  }
}
