package dev.holdfast.web;

import org.jspecify.annotations.Nullable;

/**
 * The pages that stand alone, as HTML: what a browser gets instead of a problem document, and the
 * login. Thread-safe.
 */
public interface Pages {
  /**
   * @param problem why the last try failed; null at the first
   * @param next where to go afterwards: a path of this server
   */
  String login(@Nullable String problem, String next);

  /** An error; {@code status} 503 should come again by itself in some seconds. */
  String problem(Problem problem);

  /** Pages without looks. */
  static Pages plain() {
    return new PlainPages();
  }
}
