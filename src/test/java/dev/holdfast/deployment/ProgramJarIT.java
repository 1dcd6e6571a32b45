package dev.holdfast.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.ConstantPool;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The build leaves out of {@code holdfast.jar} what Holdfast never calls. */
class ProgramJarIT {
  @ParameterizedTest
  @ValueSource(strings = {"com/anthropic/", "com/openai/"})
  @DisplayName("no error of a vendor's server asks for a class that the program does not have")
  void errors(String vendor) throws IOException {
    URL[] program = {Path.of("target", "holdfast.jar").toUri().toURL()};
    try (URLClassLoader jar = new URLClassLoader(program, null)) {
      String handler = vendor + "core/handlers/ErrorHandler";
      List<String> named =
          Stream.of(handler, handler + "$errorHandler$1")
              .flatMap(type -> classesNamedBy(jar, type))
              .filter(name -> name.startsWith(vendor))
              .distinct()
              .toList();

      assertThat(named).anySatisfy(name -> assertThat(name).endsWith("RateLimitException"));
      assertThat(named)
          .allSatisfy(name -> assertThat(jar.getResource(name + ".class")).isNotNull());
    }
  }

  private static Stream<String> classesNamedBy(URLClassLoader jar, String type) {
    try (InputStream in = jar.getResourceAsStream(type + ".class")) {
      ConstantPool constants = ClassFile.of().parse(in.readAllBytes()).constantPool();
      return StreamSupport.stream(constants.spliterator(), false)
          .filter(ClassEntry.class::isInstance)
          .map(constant -> ((ClassEntry) constant).asInternalName());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
