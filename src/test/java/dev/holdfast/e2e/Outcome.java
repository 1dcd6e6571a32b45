package dev.holdfast.e2e;

/** How a command ended and what it printed. */
public record Outcome(int exit, String stdout, String stderr) {
  /** Both streams, for checks of what must never be printed. */
  String printed() {
    return stdout + stderr;
  }
}
