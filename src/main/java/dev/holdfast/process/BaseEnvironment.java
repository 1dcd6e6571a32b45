package dev.holdfast.process;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The part of the worker's environment that every program gets. Only named variables pass, so that
 * a secret with a new name does not slip through.
 */
public final class BaseEnvironment {
  private static final Set<String> PASSED =
      Set.of(
          "PATH",
          "HOME",
          "USER",
          "LOGNAME",
          "SHELL",
          "LANG",
          "LANGUAGE",
          "TZ",
          "TMPDIR",
          "JAVA_HOME",
          "SSL_CERT_FILE",
          "SSL_CERT_DIR");

  private BaseEnvironment() {}

  /** Returns a new map, which the caller may add to. */
  public static Map<String, String> of(Map<String, String> own) {
    Map<String, String> environment = new TreeMap<>();
    own.forEach(
        (name, value) -> {
          if (isHarmless(name)) {
            environment.put(name, value);
          }
        });
    return environment;
  }

  /** True if every program may know a variable of this name. */
  static boolean isHarmless(String name) {
    return PASSED.contains(name) || name.startsWith("LC_");
  }
}
