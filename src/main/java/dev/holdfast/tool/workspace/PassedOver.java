package dev.holdfast.tool.workspace;

/** Notes what a tool did not look into, for the end of its answer. */
final class PassedOver {
  private static final int MAX_NAMED = 20;

  private final StringBuilder notes = new StringBuilder();
  private int paths;

  void add(String path, String why) {
    if (paths++ < MAX_NAMED) {
      notes.append(path).append(" (").append(why).append(")\n");
    }
  }

  /** Returns what was found, with the notes after it. */
  String behind(CharSequence found) {
    String more = paths > MAX_NAMED ? "[" + paths + " paths were not looked into]" : "";
    return ((found.isEmpty() ? "[nothing found]\n" : found) + notes.toString() + more)
        .stripTrailing();
  }
}
