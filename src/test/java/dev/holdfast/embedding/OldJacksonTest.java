package dev.holdfast.embedding;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import javax.sql.DataSource;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

class OldJacksonTest {
  @Test
  @DisplayName("a worker on an older Jackson does not start, and says which artefact is too old")
  void refused() throws Exception {
    // The annotations that there were before 2.21.
    OtherClassPath old =
        new OtherClassPath(
            name -> name.endsWith(".JsonSerializeAs"),
            name -> name.startsWith("dev.holdfast.") || name.contains(".jackson."));
    Class<?> holdfast = old.loadClass("dev.holdfast.Holdfast");
    Object builder =
        holdfast.getMethod("worker", DataSource.class).invoke(null, new PGSimpleDataSource());
    assertThatThrownBy(() -> builder.getClass().getMethod("start").invoke(builder))
        .cause()
        .hasMessageContaining("com.fasterxml.jackson.core:jackson-annotations")
        .hasMessageContaining("2.21")
        .hasRootCauseInstanceOf(ClassNotFoundException.class);
  }
}
