package dev.holdfast.testing;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The JDK that runs the tests, to start other programs with. */
public final class JavaCommand {
  /** What ends soon is done sooner so, and leaves the cores to the tests beside it. */
  public static final List<String> SHORT_LIVED =
      List.of(
          "-XX:TieredStopAtLevel=1",
          "-XX:+UseSerialGC",
          // or dozens of threads that each allocate little use up the heap's young part at once
          "-XX:-ResizeTLAB",
          "-XX:TLABSize=128k",
          // nobody looks at its figures
          "-XX:-UsePerfData",
          // a tenth of a worker's start: less is compiled, and no thread looks for old records
          "-XX:C1MaxInlineSize=16",
          "-XX:+UnlockDiagnosticVMOptions",
          "-XX:-AOTReplayTraining");

  private JavaCommand() {}

  /**
   * A program of the JDK.
   *
   * @param name for example {@code java}
   */
  public static String path(String name) {
    return Path.of(System.getProperty("java.home"), "bin", name).toString();
  }

  /** {@code java} with these words, for a program that ends soon. */
  public static List<String> java(String... words) {
    return command("java", SHORT_LIVED, words);
  }

  /** {@code javac} with these words. */
  public static List<String> javac(String... words) {
    return command("javac", SHORT_LIVED.stream().map(option -> "-J" + option).toList(), words);
  }

  private static List<String> command(String name, List<String> options, String... words) {
    List<String> command = new ArrayList<>();
    command.add(path(name));
    command.addAll(options);
    command.addAll(List.of(words));
    return command;
  }
}
