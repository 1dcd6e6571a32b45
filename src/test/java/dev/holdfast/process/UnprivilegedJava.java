package dev.holdfast.process;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.testing.JavaCommand;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Runs a part of a test in a Java whose user has no more rights to files than their modes say. */
public final class UnprivilegedJava {
  /** Root without what lets it pass over the modes of files. */
  private static final List<String> AS_ANY_USER =
      List.of("setpriv", "--bounding-set=-dac_override,-dac_read_search", "--");

  private UnprivilegedJava() {}

  /**
   * @param main the class of the part
   * @return what it prints
   */
  public static String run(Class<?> main, String... arguments) throws Exception {
    List<String> command = new ArrayList<>();
    if (ProgramUser.isRoot()) {
      command.addAll(AS_ANY_USER);
      List<String> trial = new ArrayList<>(AS_ANY_USER);
      trial.addAll(List.of("sh", "-c", "exit 0"));
      boolean works =
          ProgramFinder.find("setpriv", System.getenv("PATH")).isPresent()
              && new ProcessBuilder(trial).start().waitFor() == 0;
      assumeTrue(works, "root cannot give up its rights here");
    }
    List<String> words = new ArrayList<>(List.of("-cp", System.getProperty("java.class.path")));
    words.add(main.getName());
    words.addAll(List.of(arguments));
    command.addAll(JavaCommand.java(words.toArray(String[]::new)));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }
}
