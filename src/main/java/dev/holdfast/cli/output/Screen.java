package dev.holdfast.cli.output;

import java.io.Console;
import java.util.Map;

/**
 * The screen that results are shown on.
 *
 * @param isTerminal whether a person sees it, and not a file or another program
 * @param columns characters of a line; 0 where nothing bounds them
 * @param takesColour whether {@code --color auto} colours: on a terminal, unless NO_COLOR is set or
 *     TERM is dumb
 */
public record Screen(boolean isTerminal, int columns, boolean takesColour) {
  /** The screen of a file or a pipe. */
  public static final Screen NONE = new Screen(false, 0, false);

  /** Returns the screen of this process. */
  static Screen ofProcess(Map<String, String> environment) {
    Console console = System.console();
    return console == null || !console.isTerminal()
        ? NONE
        : new Screen(true, SttyKeyboard.columns(environment), takesColour(environment));
  }

  /** Returns true if the environment wants colours on a terminal. */
  static boolean takesColour(Map<String, String> environment) {
    return environment.getOrDefault("NO_COLOR", "").isEmpty()
        && !"dumb".equals(environment.get("TERM"));
  }
}
