package dev.holdfast.tool.sandbox;

/**
 * The confinement of tools' programs on a machine, for people.
 *
 * @param words one sentence without its full stop
 * @param remedy what to do about it; empty where there is nothing to do
 */
public record SandboxState(Level level, String words, String remedy) {
  /** Returns the words with the remedy, if there is one. */
  public String sentence() {
    return remedy.isEmpty() ? words : words + "; " + remedy;
  }

  /** True if somebody should do something about it. */
  public boolean isTrouble() {
    return level == Level.REFUSED || level == Level.UNCONFINED;
  }

  /** The levels, from safe to unsafe. */
  public enum Level {
    CONFINED,
    /** Programs must be confined and cannot be: tickets that need them are held. */
    REFUSED,
    /** Programs are not confined because somebody said so. */
    OFF,
    UNCONFINED
  }
}
