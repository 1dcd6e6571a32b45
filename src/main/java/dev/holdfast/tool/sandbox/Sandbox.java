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
   * Returns the words that run a program in the sandbox.
   *
   * @param workspace the one directory that the program may change, and where it starts
   */
  List<String> wrap(List<String> command, Path workspace);

  /**
   * Runs a program in the sandbox.
   *
   * @throws SandboxFailedException if the sandbox itself could not be made, so that the program did
   *     not run
   */
  Ran run(List<String> command, Path workspace, Start start)
      throws IOException, InterruptedException;

  /**
   * Returns the same sandbox in which programs can also read a directory, even below a hidden one.
   *
   * @param directory without links
   */
  Sandbox showing(Path directory);

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
    public Ran run(List<String> command, Path workspace, Start start)
        throws IOException, InterruptedException {
      return start.run(command);
    }

    @Override
    public Sandbox showing(Path directory) {
      return this;
    }

    @Override
    public String description() {
      return "Programs are not confined: " + reason + ".";
    }
  }
}
