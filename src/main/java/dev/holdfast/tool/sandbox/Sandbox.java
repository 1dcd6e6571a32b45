package dev.holdfast.tool.sandbox;

import java.nio.file.Path;
import java.util.List;

/** The bounds of a program that a tool starts. */
public sealed interface Sandbox permits Bubblewrap, Sandbox.None {
  /**
   * The words that run a program in it.
   *
   * @param workspace the one directory that the program may change, and where it starts
   */
  List<String> wrap(List<String> command, Path workspace);

  /** The bounds in one sentence, for models and people. */
  String description();

  /**
   * Programs can do whatever the worker's user can.
   *
   * @param reason why they are not confined
   */
  record None(String reason) implements Sandbox {
    @Override
    public List<String> wrap(List<String> command, Path workspace) {
      return command;
    }

    @Override
    public String description() {
      return "Programs are not confined: " + reason + ".";
    }
  }
}
