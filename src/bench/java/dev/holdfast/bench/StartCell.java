package dev.holdfast.bench;

import dev.holdfast.postgres.bench.ScratchDatabase;
import dev.holdfast.ticket.HoldfastException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Measures the time until {@code holdfast worker} says that it claims: without changes, and with a
 * cache of loaded classes and profiles from an earlier run (JEP 483, 515).
 */
final class StartCell implements Cell {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  /** The words that it prints when it claims and its port answers. */
  private static final String UP = "listens on";

  @Override
  public CellResult measure(Lab lab) throws InterruptedException {
    Optional<ScratchDatabase> scratch = ScratchDatabase.create(lab.database());
    if (scratch.isEmpty()) {
      lab.say("start: left out, because the database user may not create a database");
      return result(List.of());
    }
    lab.keep(scratch.get());
    try {
      return result(figures(lab, scratch.get()));
    } finally {
      scratch.get().close();
      lab.forget(scratch.get());
    }
  }

  private static CellResult result(List<Figure> figures) {
    return new CellResult(CellName.START.wireName(), CellName.START.what(), figures, List.of());
  }

  private static List<Figure> figures(Lab lab, ScratchDatabase scratch)
      throws InterruptedException {
    int rounds = lab.options().rounds(5);
    List<Double> plain = new ArrayList<>();
    List<Double> cached = new ArrayList<>();
    Path directory = emptyDirectory();
    Path cache = directory.resolve("holdfast.aot");
    try {
      if (!lab.options().quick()) {
        // This run also fills the page cache.
        once(lab, scratch, directory, List.of("-XX:AOTCacheOutput=" + cache));
      }
      boolean canCache = Files.exists(cache);
      for (int round = 1; round <= rounds; round++) {
        plain.add(once(lab, scratch, directory, List.of()));
        if (canCache) {
          cached.add(once(lab, scratch, directory, List.of("-XX:AOTCache=" + cache)));
        }
        lab.round(
            "start",
            round,
            rounds,
            "%.2f s, with an AOT cache %s",
            plain.getLast(),
            canCache ? String.format(Locale.ROOT, "%.2f s", cached.getLast()) : "not possible");
      }
    } finally {
      removeWithFiles(directory);
    }
    return figures(lab, plain, cached);
  }

  private static List<Figure> figures(Lab lab, List<Double> plain, List<Double> cached) {
    String how = lab.program().contains("-jar") ? "java -jar" : "java -cp, not from the jar";
    List<Figure> figures = new ArrayList<>();
    figures.add(
        Figure.of("worker on an existing schema, " + how, "s", plain)
            .judgedBy(Bar.atMost(1.5, 0.8), lab.options()));
    if (!cached.isEmpty()) {
      figures.add(
          Figure.of("the same with an AOT cache", "s", cached)
              .judgedBy(Bar.atMost(1.5, 0.8), lab.options()));
    }
    return figures;
  }

  /**
   * @param options the options of the JVM, ahead of all others
   */
  private static double once(Lab lab, ScratchDatabase scratch, Path directory, List<String> options)
      throws InterruptedException {
    List<String> command = new ArrayList<>(lab.program());
    command.addAll(1, options);
    command.addAll(List.of("worker", "--port", "0", "--no-console"));
    ChildProcess child = lab.keep(ChildProcess.start(command, scratch.database(), directory));
    try {
      child.await(UP, PATIENCE);
      return (System.nanoTime() - child.startedNanos()) / 1e9;
    } finally {
      child.close();
      lab.forget(child);
    }
  }

  private static Path emptyDirectory() {
    try {
      return Files.createTempDirectory("holdfast-bench-");
    } catch (IOException e) {
      throw new HoldfastException("cannot make a temporary directory (" + e + ")", e);
    }
  }

  /** Removes a directory: a JVM that cannot make its cache leaves a file of its own there. */
  private static void removeWithFiles(Path directory) {
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        Files.deleteIfExists(file);
      }
      Files.deleteIfExists(directory);
    } catch (IOException e) {
      throw new HoldfastException("cannot remove " + directory + " (" + e + "); remove it", e);
    }
  }
}
