package dev.holdfast.deployment;

import java.io.IOException;
import java.nio.file.Path;

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
