package dev.holdfast.bench;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Reads what the machine says about itself; Linux says most. */
final class MachineFacts {
  private MachineFacts() {}

  static BenchReport.Machine read() {
    return new BenchReport.Machine(
        value(Path.of("/proc/cpuinfo"), "model name").orElse(System.getProperty("os.arch", "")),
        Runtime.getRuntime().availableProcessors(),
        kilobytes(Path.of("/proc/meminfo"), "MemTotal") >> 10,
        System.getProperty("os.name") + " " + System.getProperty("os.version"),
        System.getProperty("java.vm.name") + " " + Runtime.version(),
        ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
  }

  /** Returns the number in a line like {@code VmRSS: 1234 kB}; 0 if there is none. */
  static long kilobytes(Path file, String name) {
    return value(file, name)
        .map(text -> text.replaceAll("\\D", ""))
        .filter(digits -> !digits.isEmpty())
        .map(Long::parseLong)
        .orElse(0L);
  }

  private static Optional<String> value(Path file, String name) {
    try {
      return Files.readAllLines(file).stream()
          .filter(line -> line.startsWith(name))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst();
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
