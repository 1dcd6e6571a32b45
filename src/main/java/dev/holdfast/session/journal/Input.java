package dev.holdfast.session.journal;

import org.jspecify.annotations.Nullable;

/**
 * Something that is said to the agent from outside: its task, or a person's guidance.
 *
 * @param key distinguishes the same input from a new one when a session is resumed, such as
 *     "guidance-17"; an input whose key is in the journal is not said again
 */
public record Input(String key, String text) {
  private static final String TASK = "task";
  private static final String GUIDANCE = "guidance-";
  private static final String OF_CALL = "permission-";

  /** Makes the input of the task itself. */
  public static Input task(String text) {
    return new Input(TASK + "-" + Integer.toHexString(text.hashCode()), text);
  }

  /**
   * Returns the key of a task, changed or not; null where the input is no task. Older versions
   * wrote "task".
   */
  public @Nullable String taskKey() {
    String bare = key.startsWith(GUIDANCE) ? key.substring(GUIDANCE.length()) : key;
    return bare.startsWith(TASK) ? bare : null;
  }

  /** Returns this task as one that replaces another task that was said before. */
  public Input changed() {
    return guidance(key, "A person has changed the task. It is now:\n" + text);
  }

  /**
   * Makes the input of what a person says to the agent that works on the task.
   *
   * @param which distinguishes it from everything else that people have said
   */
  public static Input guidance(String which, String text) {
    return new Input(GUIDANCE + which, text);
  }

  /**
   * Makes the input of what a person says about a call.
   *
   * @param answer which answer of the conversation made it
   */
  public static Input ofCall(int answer, String callId, String text) {
    return new Input(OF_CALL + answer + "-" + callId, text);
  }

  /**
   * True if a person said it. It is not named isByPerson, because JSON would store that as a field.
   */
  public boolean byPerson() {
    return key.startsWith(GUIDANCE) || key.startsWith(OF_CALL);
  }
}
