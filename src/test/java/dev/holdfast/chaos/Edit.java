package dev.holdfast.chaos;

import dev.holdfast.e2e.Installation;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/**
 * A change of the program's own source, made for one run: the product has no switch that would take
 * a protection away.
 *
 * @param file a class below src/main/java, or a statement below src/main/resources
 * @param part what stands there; it has to
 */
record Edit(String file, String part, String other) {
  private static final Path MAIN = Path.of("src", "main");

  void apply(Path overlay) throws IOException {
    boolean java = file.endsWith(".java");
    Path source = MAIN.resolve(java ? "java" : "resources").resolve("dev/holdfast").resolve(file);
    Path target = overlay.resolve("dev/holdfast").resolve(file);
    String text = Files.readString(Files.exists(target) ? target : source);
    if (!text.contains(part)) {
      throw new AssertionError(source + " has no \"" + part + "\"");
    }
    Files.createDirectories(Objects.requireNonNull(target.getParent()));
    Files.writeString(target, text.replace(part, other));
    if (java) {
      compile(target, overlay);
    }
  }

  private static void compile(Path source, Path overlay) {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    int exit =
        compiler.run(
            null,
            null,
            null,
            "-proc:none",
            "-nowarn",
            "-implicit:none",
            "-d",
            overlay.toString(),
            "-cp",
            overlay + File.pathSeparator + Installation.jar(),
            source.toString());
    if (exit != 0) {
      throw new AssertionError(source + " cannot be compiled");
    }
  }
}
