package dev.holdfast.embedding;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

class OldJacksonTest {
  /** Loads Holdfast and Jackson anew, with the annotations that there were before 2.21. */
  private static final class OldJackson extends ClassLoader {
    private OldJackson() {
      super(OldJacksonTest.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (name.endsWith(".JsonSerializeAs")) {
        throw new ClassNotFoundException(name);
      }
      if (!name.startsWith("dev.holdfast.") && !name.contains(".jackson.")) {
        return super.loadClass(name, resolve);
      }
      Class<?> known = findLoadedClass(name);
      return known == null ? anew(name) : known;
    }

    private Class<?> anew(String name) throws ClassNotFoundException {
      try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
        if (in == null) {
          throw new ClassNotFoundException(name);
        }
        byte[] bytes = in.readAllBytes();
        return defineClass(name, bytes, 0, bytes.length);
      } catch (IOException e) {
        throw new ClassNotFoundException(name, e);
      }
    }
  }

  @Test
  @DisplayName("a worker on an older Jackson does not start, and says which artefact is too old")
  void refused() throws Exception {
    Class<?> holdfast = new OldJackson().loadClass("dev.holdfast.Holdfast");
    Object builder =
        holdfast.getMethod("worker", DataSource.class).invoke(null, new PGSimpleDataSource());
    assertThatThrownBy(() -> builder.getClass().getMethod("start").invoke(builder))
        .cause()
        .hasMessageContaining("com.fasterxml.jackson.core:jackson-annotations")
        .hasMessageContaining("2.21")
        .hasRootCauseInstanceOf(ClassNotFoundException.class);
  }
}
