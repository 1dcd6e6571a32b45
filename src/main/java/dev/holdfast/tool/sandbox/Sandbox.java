package dev.holdfast.tool.sandbox;

import dev.holdfast.process.ProgramEnd;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** The bounds of a program that a tool starts. */
public sealed interface Sandbox permits Bubblewrap, Sandbox.None {
  /**
   * A program that has ended.
   *
   * @param output what it printed, both streams in their order, cut in the middle
   */
  record Ran(ProgramEnd end, String output) {}

  /** Starts the words and waits for their end. */
  @FunctionalInterface
  interface Start {
    Ran run(List<String> words) throws IOException, InterruptedException;
  }

  /**
   * The words that run a program in it.
   *
   * @param workspace the one directory that the program may change, and where it starts
   */
  List<String> wrap(List<String> command, Path workspace);

  /** Runs a program in it; once more, or twice, where the sandbox itself could not be made. */
  default Ran run(List<String> command, Path workspace, Start start)
      throws IOException, InterruptedException {
    Ran ran = start.run(wrap(command, workspace));
    for (int more = 0; more < 2 && isUnstarted(ran); more++) {
      ran = start.run(wrap(command, workspace));
    }
    return ran;
  }

  /** True where the program was not started, and may be if it is wrapped anew. */
  boolean isUnstarted(Ran ran);

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
    public boolean isUnstarted(Ran ran) {
      return false;
    }

    @Override
    public String description() {
      return "Programs are not confined: " + reason + ".";
    }
  }
}
