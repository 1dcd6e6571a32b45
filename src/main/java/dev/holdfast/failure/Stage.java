package dev.holdfast.failure;

import java.util.Locale;
import java.util.Optional;

/**
 * The part of a failure that a rule looks at. The stages are tried in this order and the first rule
 * that matches decides; only in {@link #TEXT} do all rules stand equal and the category order of
 * A12 decides.
 */
public enum Stage {
  /** Class names (and superclasses) of the exception and its causes, innermost first. */
  TYPE,
  /** Reports of tests, compilers, linters and interpreters, anywhere in the text. */
  CODE,
  /** The root cause line or lines of a stack trace. */
  ROOT,
  /** Exit codes and signals, given or named in the text. */
  EXIT,
  /** Messages of local programs such as git, ssh, docker, patch. */
  TOOL,
  /** Error codes and phrases of API answers. */
  BODY,
  /** The HTTP status, given or stated in the text. */
  STATUS,
  /** Error names and messages of the operating system, in many languages. */
  ERRNO,
  /** Any other wording. */
  TEXT,
  /** Words that point to a category without naming a failure; the last resort before unknown. */
  GUESS;

  /** Returns the name used in rule files, such as "status". */
  public String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns the stage with a wire name, in any letter case; empty if no stage has it. */
  public static Optional<Stage> ofWireName(String name) {
    for (Stage stage : values()) {
      if (stage.wireName().equals(name.strip().toLowerCase(Locale.ROOT))) {
        return Optional.of(stage);
      }
    }
    return Optional.empty();
  }
}
