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
    Checker.Verdict verdict =
        Checker.run("promtool", "test", "rules", file.toAbsolutePath().toString());
    return verdict.good() ? "" : verdict.text();
  }
}
