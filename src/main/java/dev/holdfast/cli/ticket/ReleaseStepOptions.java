package dev.holdfast.cli.ticket;

import dev.holdfast.batch.NewRelease;
import dev.holdfast.cli.output.UsageException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of {@code release} that make it go step by step. Used by one thread. */
final class ReleaseStepOptions {
  private static final List<Integer> ALL = List.of(0);

  @Option(
      names = "--canary",
      paramLabel = "N",
      description =
          "Release only so many at first, and more when those came through; stop by itself when the"
              + " same error comes back. A worker goes on with it: holdfast release show ID.")
  private @Nullable Integer canary;

  @Option(
      names = "--ramp",
      paramLabel = "N,N,all",
      description = "How many after the canary, step by step; default: all.")
  private @Nullable String ramp;

  boolean areGiven() {
    if (ramp != null && canary == null) {
      throw new UsageException("--ramp goes with --canary, as in: --canary 3 --ramp 10,50,all");
    }
    return canary != null;
  }

  int canary() {
    int first = canary == null ? 0 : canary;
    if (first < 1 || first > 1_000_000) {
      throw new UsageException("--canary: " + first + "; give a number of tickets, from 1");
    }
    return first;
  }

  List<Integer> ramp() {
    try {
      return ramp == null ? ALL : NewRelease.ramp(ramp);
    } catch (IllegalArgumentException e) {
      throw new UsageException("--ramp: " + e.getMessage(), e);
    }
  }
}
