package dev.holdfast.config;

import dev.holdfast.config.Values.Given;
import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Secrets that are in files of their own, so that they need not be in the environment. A key {@code
 * database.password} may be given as {@code database.password-file}, which names its file; and a
 * file of the key's name in systemd's credentials directory is its value. Used by one thread.
 */
final class SecretFiles {
  private static final String SUFFIX = "-file";
  private static final String VARIABLE_SUFFIX = "_FILE";

  /** The prefix of file names where one LoadCredential= of systemd loads a directory. */
  private static final List<String> CREDENTIAL_PREFIXES = List.of("holdfast_", "holdfast.", "");

  private final Path directory;
  private final List<Path> found = new ArrayList<>();

  /**
   * @param directory where relative names begin
   */
  SecretFiles(Path directory) {
    this.directory = directory;
  }

  /** Remembers that there may be secrets in the configuration file itself. */
  Path add(Path configuration) {
    found.add(configuration);
    return configuration;
  }

  /** Returns the files that were read, and the directory of credentials. */
  List<Path> found() {
    return List.copyOf(found);
  }

  /** Returns the key that names the file of another key's value. */
  static Optional<Key<?>> find(String name) {
    return name.endsWith(SUFFIX)
        ? Keys.find(name.substring(0, name.length() - SUFFIX.length()))
            .filter(Key::mayHoldSecret)
            .map(SecretFiles::keyOfFile)
        : Optional.empty();
  }

  /** Returns the variable whose value is in the file; empty where this is no variable of a file. */
  static Optional<String> variableOf(String variable) {
    return variable.endsWith(VARIABLE_SUFFIX)
        ? Optional.of(variable.substring(0, variable.length() - VARIABLE_SUFFIX.length()))
        : Optional.empty();
  }

  static Key<String> keyOfFile(Key<?> key) {
    return new Key<>(
        key.name() + SUFFIX, KeyType.Text.ANY, "", false, "The file that has " + key.name());
  }

  /**
   * Replaces the names of the files with what is in them.
   *
   * @throws ConfigException if a file cannot be read, or a value is given beside it
   */
  Map<String, Given> resolve(Map<String, Given> given) {
    Map<String, Given> resolved = new HashMap<>();
    given.forEach(
        (name, each) -> {
          if (find(name).isEmpty()) {
            resolved.put(name, each);
            return;
          }
          Key<?> key = Keys.find(name.substring(0, name.length() - SUFFIX.length())).orElseThrow();
          if (given.containsKey(key.name())) {
            throw new ConfigException(
                key.name() + " and " + name + " are both given in one place; keep one");
          }
          String file = Values.read(keyOfFile(key), each);
          String value = read(key, file, each.where());
          resolved.put(key.name(), new Given(value, each.where(), directory.resolve(file)));
        });
    return resolved;
  }

  /**
   * Returns what systemd's credentials set.
   *
   * @param credentials the directory of systemd's credentials; blank for none
   */
  Map<String, Given> credentials(String credentials) {
    if (credentials.isBlank()) {
      return Map.of();
    }
    Map<String, Given> given = new HashMap<>();
    found.add(directory.resolve(credentials));
    try (Stream<Path> files = Files.list(directory.resolve(credentials))) {
      files
          .filter(Files::isRegularFile)
          .forEach(
              file ->
                  keyOfCredential(String.valueOf(file.getFileName()))
                      .ifPresent(key -> add(given, key, file)));
    } catch (IOException e) {
      throw new ConfigException(
          "CREDENTIALS_DIRECTORY: cannot read "
              + credentials
              + ": "
              + FileProblem.of(directory.resolve(credentials).toString(), e)
              + "; it must be a directory that the user of this process may read",
          e);
    }
    return given;
  }

  private static void add(Map<String, Given> given, Key<?> key, Path credential) {
    Given value =
        new Given(
            text(key, credential, "CREDENTIALS_DIRECTORY"),
            "the credential " + credential.getFileName(),
            credential);
    if (given.put(key.name(), value) != null) {
      throw new ConfigException(
          "CREDENTIALS_DIRECTORY: two credentials are for " + key.name() + "; keep one");
    }
  }

  /** Returns the key of a credential. Credentials with other names are for other programs. */
  private static Optional<Key<?>> keyOfCredential(String file) {
    for (String prefix : CREDENTIAL_PREFIXES) {
      Optional<Key<?>> key =
          file.startsWith(prefix) ? Keys.find(file.substring(prefix.length())) : Optional.empty();
      if (key.isPresent()) {
        return key.filter(Key::mayHoldSecret);
      }
    }
    return Optional.empty();
  }

  /**
   * Reads the file that a variable or a key names.
   *
   * @param where where the name was given, for messages
   */
  String read(Key<?> key, String name, String where) {
    Path file = directory.resolve(name);
    found.add(file);
    return text(key, file, where);
  }

  /** Returns what is in a secret's file now; empty where it cannot be read, or is empty. */
  static Optional<String> reread(Path file) {
    try {
      return Optional.of(withoutEnd(FileProblem.text(file))).filter(text -> !text.isBlank());
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private static String withoutEnd(String text) {
    return text.replaceFirst("[\\r\\n]+\\z", "");
  }

  /** Returns the text without the line's end. In a list, each line is an entry. */
  private static String text(Key<?> key, Path file, String where) {
    String text = withoutEnd(contents(key, file, where));
    if (text.isBlank()) {
      throw new ConfigException(
          where
              + ": the file "
              + file
              + " of "
              + key.name()
              + " is empty; write the value into it");
    }
    return key.type() instanceof KeyType.Texts ? text.replaceAll("[\\r\\n]+", ",") : text;
  }

  private static String contents(Key<?> key, Path file, String where) {
    try {
      return FileProblem.text(file);
    } catch (MalformedInputException e) {
      throw new ConfigException(
          where + ": the file " + file + " of " + key.name() + " is not UTF-8 text", e);
    } catch (IOException e) {
      throw new ConfigException(
          ("%s: cannot read the file %s of %s: %s; it must exist and be readable for the user of"
                  + " this process")
              .formatted(where, file, key.name(), FileProblem.of(file.toString(), e)),
          e);
    }
  }
}
