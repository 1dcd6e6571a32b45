package dev.holdfast.tool.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDirFactory;

/**
 * Makes temporary directories in which a confined program finds what it would find: below target,
 * or below /var/lib if another user cannot get to target, as in a checkout in root's home.
 */
final class OutsideOfTmp implements TempDirFactory {
  @Override
  public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext context)
      throws Exception {
    Path target = Files.createDirectories(Path.of("target").toAbsolutePath());
    Path reached =
        isOpen(target) || !Files.isWritable(Path.of("/var/lib")) ? target : Path.of("/var/lib");
    return Files.createTempDirectory(reached, "sandbox-");
  }

  private static boolean isOpen(Path directory) throws IOException {
    for (Path each = directory; each != null; each = each.getParent()) {
      if (!Files.getPosixFilePermissions(each).contains(PosixFilePermission.OTHERS_EXECUTE)) {
        return false;
      }
    }
    return true;
  }
}
