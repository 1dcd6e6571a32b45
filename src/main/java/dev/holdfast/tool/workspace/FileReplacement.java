package dev.holdfast.tool.workspace;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Puts a file in another's place, in one step and with its permissions. */
final class FileReplacement {
  private static final Set<PosixFilePermission> NEW_FILE =
      PosixFilePermissions.fromString("rw-r--r--");

  private FileReplacement() {}

  /**
   * @return whether there was no file before
   */
  static boolean write(SecureDirectoryStream<Path> directory, Path name, byte[] content)
      throws IOException {
    @Nullable BasicFileAttributes old = Workspace.attributesOrNull(directory, name);
    if (old != null) {
      Workspace.refuseIrregular(name.toString(), old);
    }
    Set<PosixFilePermission> permissions =
        old == null ? NEW_FILE : view(directory, name).readAttributes().permissions();
    Path temporary = Path.of(".holdfast-" + UUID.randomUUID());
    try {
      fill(directory, temporary, content);
      view(directory, temporary).setPermissions(permissions);
      directory.move(temporary, directory, name);
    } catch (IOException e) {
      delete(directory, temporary, e);
      throw e;
    }
    return old == null;
  }

  private static void fill(SecureDirectoryStream<Path> directory, Path name, byte[] content)
      throws IOException {
    try (SeekableByteChannel channel =
        directory.newByteChannel(
            name,
            Set.of(
                StandardOpenOption.WRITE,
                StandardOpenOption.CREATE_NEW,
                LinkOption.NOFOLLOW_LINKS))) {
      ByteBuffer rest = ByteBuffer.wrap(content);
      while (rest.hasRemaining()) {
        channel.write(rest);
      }
    }
  }

  private static PosixFileAttributeView view(SecureDirectoryStream<Path> directory, Path name) {
    return directory.getFileAttributeView(
        name, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
  }

  private static void delete(SecureDirectoryStream<Path> directory, Path name, IOException cause) {
    try {
      if (Workspace.attributesOrNull(directory, name) != null) {
        directory.deleteFile(name);
      }
    } catch (IOException e) {
      cause.addSuppressed(e);
    }
  }
}
