package dev.holdfast.postgres.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The server process of a data directory, as {@code postmaster.pid} names it. The file outlives a
 * killed server, so the process may be gone, or its number may belong to another process.
 */
record EmbeddedServerPostmaster(long pid, int port) {

  /** Reads the file; empty if there is none, or the server has only begun to write it. */
  static Optional<EmbeddedServerPostmaster> read(Path data) throws IOException {
    List<String> lines = EmbeddedServerFiles.read(pidFile(data)).orElse("").lines().toList();
    if (lines.size() < 4 || !isNumber(lines.get(0)) || !isNumber(lines.get(3))) {
      return Optional.empty();
    }
    return Optional.of(
        new EmbeddedServerPostmaster(Long.parseLong(lines.get(0)), Integer.parseInt(lines.get(3))));
  }

  /** Returns true if a process of this number runs and is the PostgreSQL of this data. */
  boolean lives(Path data) {
    return command().filter(command -> command.contains(data.toString())).isPresent();
  }

  /**
   * Removes the file if its number belongs to an unrelated process now; PostgreSQL itself would not
   * dare.
   */
  void forgetIfReused(Path data) throws IOException {
    if (command().isPresent() && !lives(data)) {
      Files.deleteIfExists(pidFile(data));
    }
  }

  private Optional<String> command() {
    return ProcessHandle.of(pid)
        .filter(ProcessHandle::isAlive)
        .map(process -> process.info().commandLine().orElse(""));
  }

  private static Path pidFile(Path data) {
    return data.resolve("postmaster.pid");
  }

  private static boolean isNumber(String text) {
    return text.matches("\\d{1,9}");
  }
}
