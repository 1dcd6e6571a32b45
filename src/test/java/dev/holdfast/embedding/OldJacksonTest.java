package dev.holdfast.embedding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.classfile.ClassFile;
import java.lang.classfile.constantpool.MethodRefEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

class OldJacksonTest {
  private final Class<?> holdfast = withOldAnnotations("dev.holdfast.Holdfast");

  /** Those that there were before 2.21. */
  private static Class<?> withOldAnnotations(String name) {
    try {
      return new OtherClassPath(
              each -> each.endsWith(".JsonSerializeAs"),
              each -> each.startsWith("dev.holdfast.") || each.contains(".jackson."))
          .loadClass(name);
    } catch (ClassNotFoundException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  @DisplayName("a worker on an older Jackson does not start, and says which artefact is too old")
  void refused() throws Exception {
    Object builder =
        holdfast.getMethod("worker", DataSource.class).invoke(null, new PGSimpleDataSource());
    assertRefused(() -> builder.getClass().getMethod("start").invoke(builder));
  }

  @Test
  @DisplayName("a migration on an older Jackson, too, says which artefact is too old")
  void migration() throws Exception {
    Method migrate = holdfast.getMethod("migrate", DataSource.class);
    assertRefused(() -> migrate.invoke(null, new PGSimpleDataSource()));
  }

  /** It chose the overload for a JsonNode, which came with 3.1, and failed where it was called. */
  @Test
  @DisplayName("a worker on Jackson 3.0, as Spring Boot 4.0 brings it, calls nothing that it lacks")
  void threeZero() throws Exception {
    List<String> newer = new ArrayList<>();
    try (Stream<Path> files = Files.walk(Path.of("target/classes"))) {
      for (Path file : files.filter(each -> each.toString().endsWith(".class")).toList()) {
        for (PoolEntry entry : ClassFile.of().parse(file).constantPool()) {
          if (entry instanceof MethodRefEntry method
              && method.name().equalsString("treeToValue")
              && method.type().stringValue().startsWith("(Ltools/jackson/databind/JsonNode;")) {
            newer.add(file.toString());
          }
        }
      }
    }
    assertThat(newer).isEmpty();
  }

  private static void assertRefused(ThrowingCallable call) {
    assertThatThrownBy(call)
        .cause()
        .hasMessageContaining("com.fasterxml.jackson.core:jackson-annotations")
        .hasMessageContaining("2.21")
        .hasRootCauseInstanceOf(ClassNotFoundException.class);
  }
}
