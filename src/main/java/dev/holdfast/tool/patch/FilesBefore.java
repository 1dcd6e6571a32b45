package dev.holdfast.tool.patch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The files of a patch as they were before it. Git checks the whole patch before it writes, but a
 * full disk or a kill during writing leaves a part of it.
 */
final class FilesBefore {
  private record Content(byte[] bytes, Set<PosixFilePermission> permissions) {}

  private final Path root;
  private final Map<Path, Optional<Content>> files = new HashMap<>();
  private final List<Path> missingDirectories = new ArrayList<>();

  /**
   * @param paths checked ones
   */
  FilesBefore(PatchTarget target, Collection<String> paths) throws IOException, PatchRejection {
    this.root = target.root();
    for (String path : paths) {
      Path file = root.resolve(path);
      if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
        byte[] bytes = target.read(path);
        files.put(file, Optional.of(new Content(bytes, Files.getPosixFilePermissions(file))));
      } else {
        files.put(file, Optional.empty());
        rememberMissing(file);
      }
    }
  }

  private void rememberMissing(Path file) {
    Path above = file.getParent();
    while (above != null && !above.equals(root) && !Files.exists(above)) {
      if (!missingDirectories.contains(above)) {
        missingDirectories.add(above);
      }
      above = above.getParent();
    }
  }

  /**
   * Restores a file's permissions, because git writes each file again with permissions from its
   * mode only.
   */
  void keepPermissions(String path, String newPath) throws IOException {
    Optional<Content> content = files.getOrDefault(root.resolve(path), Optional.empty());
    Path file = root.resolve(newPath);
    if (content.isPresent() && Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      Files.setPosixFilePermissions(file, content.get().permissions());
    }
  }

  /**
   * Undoes all later changes of the files. First deletes what has changed: on a full disk there is
   * no room for the files as they were before all of it is gone. One that cannot be written back
   * keeps no other from it.
   */
  void restore() throws IOException {
    for (Map.Entry<Path, Optional<Content>> entry : files.entrySet()) {
      if (entry.getValue().isEmpty() || !isAsBefore(entry.getKey(), entry.getValue().get())) {
        Files.deleteIfExists(entry.getKey());
      }
    }
    IOException first = null;
    for (Map.Entry<Path, Optional<Content>> entry : files.entrySet()) {
      try {
        if (entry.getValue().isPresent()) {
          restore(entry.getKey(), entry.getValue().get());
        }
      } catch (IOException e) {
        if (first == null) {
          first = e;
        } else {
          first.addSuppressed(e);
        }
      }
    }
    if (first != null) {
      throw first;
    }
    missingDirectories.sort((a, b) -> b.getNameCount() - a.getNameCount());
    for (Path directory : missingDirectories) {
      Files.deleteIfExists(directory);
    }
  }

  private static boolean isAsBefore(Path file, Content content) throws IOException {
    return Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
        && Arrays.equals(Files.readAllBytes(file), content.bytes());
  }

  private static void restore(Path file, Content content) throws IOException {
    if (Files.notExists(file)) {
      Path directory = file.getParent();
      if (directory != null) {
        Files.createDirectories(directory);
      }
      Files.write(file, content.bytes());
    }
    Files.setPosixFilePermissions(file, content.permissions());
  }
}
