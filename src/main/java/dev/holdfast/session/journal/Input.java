package dev.holdfast.session.journal;

/**
 * Something that is said to the agent from outside: its task, or a person's guidance.
 *
 * @param key tells the same input from a new one when a session is resumed, such as "task" or
 *     "guidance-17"; an input whose key is in the journal is not said again
 */
public record Input(String key, String text) {
  /** The task itself. */
  public static Input task(String text) {
    return new Input("task", text);
  }
}
