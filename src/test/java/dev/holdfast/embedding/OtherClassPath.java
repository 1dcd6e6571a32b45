package dev.holdfast.embedding;

import java.io.IOException;
import java.io.InputStream;
import java.util.function.Predicate;

/** Loads classes anew, as on the class path of a program that lacks some. */
final class OtherClassPath extends ClassLoader {
  private final Predicate<String> missing;
  private final Predicate<String> anew;

  /**
   * @param missing the names of classes that are not there
   * @param anew the names of those that are to see that they are not
   */
  OtherClassPath(Predicate<String> missing, Predicate<String> anew) {
    super(OtherClassPath.class.getClassLoader());
    this.missing = missing;
    this.anew = anew;
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (missing.test(name)) {
      throw new ClassNotFoundException(name);
    }
    if (!anew.test(name)) {
      return super.loadClass(name, resolve);
    }
    Class<?> known = findLoadedClass(name);
    return known == null ? define(name) : known;
  }

  private Class<?> define(String name) throws ClassNotFoundException {
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
