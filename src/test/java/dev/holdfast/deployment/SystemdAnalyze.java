package dev.holdfast.deployment;

import java.io.IOException;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Systemd's own checker of units, where it is installed. */
final class SystemdAnalyze {
  private static final Pattern EXPOSURE =
      Pattern.compile("Overall exposure level for \\S+: ([0-9.]+)");

  private SystemdAnalyze() {}

  static boolean isInstalled() {
    return Checker.isInstalled("systemd-analyze");
  }

  /** What is wrong with the unit; empty where nothing is. */
  static String verify(Path unit) throws IOException, InterruptedException {
    return Checker.run("systemd-analyze", "verify", "--recursive-errors=no", unit.toString())
        .text();
  }

  /** From 0, which is confined most, to 10. */
  static double exposure(Path unit) throws IOException, InterruptedException {
    String text =
        Checker.run("systemd-analyze", "security", "--offline=true", unit.toString()).text();
    Matcher exposure = EXPOSURE.matcher(text);
    if (!exposure.find()) {
      throw new AssertionError(text);
    }
    return Double.parseDouble(exposure.group(1));
  }
}
