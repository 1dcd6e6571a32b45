package dev.holdfast.embedding;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Method;
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

  private static void assertRefused(ThrowingCallable call) {
    assertThatThrownBy(call)
        .cause()
        .hasMessageContaining("com.fasterxml.jackson.core:jackson-annotations")
        .hasMessageContaining("2.21")
        .hasRootCauseInstanceOf(ClassNotFoundException.class);
  }
}
