package dev.holdfast.repair;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The files of a worktree, as models may see them. Follows no link out of it. */
record WorktreeSources(Path root, List<String> files) implements RepairRepository.Sources {
  private static final long MAX_BYTES = 256 * 1024;

  WorktreeSources {
    files = List.copyOf(files);
  }

  static WorktreeSources of(Path directory, List<String> files) throws IOException {
    return new WorktreeSources(directory.toRealPath(), files);
  }

  @Override
  public Optional<String> text(String path) {
    try {
      Path file = root.resolve(path).toRealPath();
      if (!file.startsWith(root) || !Files.isRegularFile(file) || Files.size(file) > MAX_BYTES) {
        return Optional.empty();
      }
      String text =
          StandardCharsets.UTF_8
              .newDecoder()
              .decode(ByteBuffer.wrap(Files.readAllBytes(file)))
              .toString();
      return text.indexOf('\0') < 0 ? Optional.of(text) : Optional.empty();
    } catch (CharacterCodingException e) {
      return Optional.empty();
    } catch (IOException | InvalidPathException e) {
      return Optional.empty();
    }
  }
}
