package dev.holdfast.tool.sandbox;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDirFactory;

/** Temporary directories below target, where a confined program would find what it finds. */
final class OutsideOfTmp implements TempDirFactory {
  @Override
  public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext context)
      throws Exception {
    Path target = Files.createDirectories(Path.of("target").toAbsolutePath());
    return Files.createTempDirectory(target, "sandbox-");
  }
}
