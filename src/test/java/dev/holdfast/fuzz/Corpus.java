package dev.holdfast.fuzz;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The inputs of one target that are kept in the repository. */
final class Corpus {
  private static final Path ROOT = Path.of("src/test/resources/fuzz");

  private Corpus() {}

  /** By file name, in its order. */
  static Map<String, byte[]> of(FuzzTarget target) throws IOException {
    Map<String, byte[]> inputs = new TreeMap<>();
    try (Stream<Path> files = Files.list(ROOT.resolve(target.name()))) {
      for (Path file : files.toList()) {
        inputs.put(file.getFileName().toString(), Files.readAllBytes(file));
      }
    }
    return inputs;
  }
}
