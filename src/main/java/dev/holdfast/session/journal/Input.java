package dev.holdfast.session.journal;

/**
 * Something that is said to the agent from outside: its task, or a person's guidance.
 *
 * @param key tells the same input from a new one when a session is resumed, such as "task" or
 *     "guidance-17"; an input whose key is in the journal is not said again
 */
public record Input(String key, String text) {
  private static final String GUIDANCE = "guidance-";
  private static final String OF_CALL = "permission-";

  /** The task itself. */
  public static Input task(String text) {
    return new Input("task", text);
  }

  /**
   * What a person says to the agent that works on the task.
   *
   * @param which tells it from all else that people have said
   */
  public static Input guidance(String which, String text) {
    return new Input(GUIDANCE + which, text);
  }

  /**
   * What a person says of a call.
   *
   * @param answer which answer of the conversation made it
   */
  public static Input ofCall(int answer, String callId, String text) {
    return new Input(OF_CALL + answer + "-" + callId, text);
  }

  /** Not isByPerson: JSON would take that for a part of what is stored. */
  public boolean byPerson() {
    return key.startsWith(GUIDANCE) || key.startsWith(OF_CALL);
  }
}
