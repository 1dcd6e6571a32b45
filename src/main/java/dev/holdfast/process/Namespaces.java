package dev.holdfast.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Knows whether the numbers and times of processes mean the same for another process as for this
 * one. In a container they do not: there another worker is process 1.
 */
final class Namespaces {
  private static final List<String> OF_NUMBERS_AND_TIMES = List.of("ns/pid", "ns/time");

  private Namespaces() {}

  /** True if they mean the same; false where that cannot be known. */
  static boolean areOwn(long pid) {
    return OF_NUMBERS_AND_TIMES.stream().allMatch(each -> isOwn(pid, each));
  }

  private static boolean isOwn(long pid, String kind) {
    try {
      return link("self", kind).equals(link(Long.toString(pid), kind));
    } catch (IOException e) {
      return false; // It has ended meanwhile, or is none of ours.
    }
  }

  private static Path link(String process, String kind) throws IOException {
    return Files.readSymbolicLink(Path.of("/proc", process, kind));
  }
}
