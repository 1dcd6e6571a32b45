package dev.holdfast.bench;

import dev.holdfast.postgres.bench.ScratchDatabase;
import dev.holdfast.ticket.HoldfastException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** How long {@code holdfast worker} takes until it says that it claims. */
final class StartCell implements Cell {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
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
      return result(List.of(figure(lab, scratch.get())));
    } finally {
      scratch.get().close();
      lab.forget(scratch.get());
    }
  }

  private static CellResult result(List<Figure> figures) {
    return new CellResult(CellName.START.wireName(), CellName.START.what(), figures, List.of());
  }

  private static Figure figure(Lab lab, ScratchDatabase scratch) throws InterruptedException {
    int rounds = lab.options().rounds(5);
    List<Double> seconds = new ArrayList<>();
    Path directory = emptyDirectory();
    try {
      if (!lab.options().quick()) {
        once(lab, scratch, directory);
      }
      for (int round = 1; round <= rounds; round++) {
        seconds.add(once(lab, scratch, directory));
        lab.say("start, round %d of %d: %.2f s", round, rounds, seconds.getLast());
      }
    } finally {
      remove(directory);
    }
    List<String> program = lab.program();
    String how = program.contains("-jar") ? "java -jar" : "java -cp, not from the jar";
    return Figure.of("worker on an existing schema, " + how, "s", seconds)
        .judgedBy(Bar.atMost(1.5, 0.8), lab.options());
  }

  private static double once(Lab lab, ScratchDatabase scratch, Path directory)
      throws InterruptedException {
    List<String> command = new ArrayList<>(lab.program());
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

  private static void remove(Path directory) {
    try {
      Files.deleteIfExists(directory);
    } catch (IOException e) {
      throw new HoldfastException("cannot remove " + directory + " (" + e + "); remove it", e);
    }
  }
}
