package dev.holdfast.deployment;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Prometheus's own checker of rules, where it is installed. */
final class Promtool {
  private Promtool() {}

  static boolean isInstalled() {
    return Checker.isInstalled("promtool");
  }

  /** What it found wrong; empty where every test of the file holds. */
  static String test(Path file) throws IOException, InterruptedException {
    return complaint("test", "rules", file);
  }

  /** What it says of each file; all are tested in one run, for most of its time it starts. */
  static List<String> testEach(List<Path> files) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("promtool", "test", "rules"));
    files.forEach(file -> command.add(file.toAbsolutePath().toString()));
    String said = Checker.run(command.toArray(String[]::new)).text();
    List<String> each = new ArrayList<>(List.of(said.split("Unit Testing:", -1)));
    each.removeFirst();
    return each;
  }

  /** What is wrong with a configuration and the rules that it names; empty where nothing is. */
  static String config(Path file) throws IOException, InterruptedException {
    return complaint("check", "config", file);
  }

  private static String complaint(String verb, String object, Path file)
      throws IOException, InterruptedException {
    Checker.Verdict verdict =
        Checker.run("promtool", verb, object, file.toAbsolutePath().toString());
    return verdict.good() ? "" : verdict.text();
  }
}
