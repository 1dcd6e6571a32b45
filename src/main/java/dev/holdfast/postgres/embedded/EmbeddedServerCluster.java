package dev.holdfast.postgres.embedded;

import dev.holdfast.process.DirectoryTree;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The files of one server below its directory: {@code data}, {@code password}, {@code server.log}.
 * A new cluster is made in {@code data.incomplete} and moved when it is whole, so everything in
 * there is ours and may be deleted.
 */
record EmbeddedServerCluster(
    EmbeddedServerOptions options, EmbeddedServerBinaries binaries, EmbeddedServerAccount account) {
  static final String USER = "holdfast";

  private static final String SETTINGS_FILE = "holdfast.conf";
  private static final Pattern PORT = Pattern.compile("(?m)^port = '([1-9][0-9]{0,4})'$");

  static Path data(Path directory) {
    return directory.resolve("data");
  }

  static Path passwordFile(Path directory) {
    return directory.resolve("password");
  }

  /**
   * Prepares a whole cluster of the right version, with this start's settings.
   *
   * @throws EmbeddedServerException if the data belongs to another version or cannot be made
   */
  void prepare(int port) throws IOException {
    Path data = data(options.directory());
    clearIncomplete();
    if (!Files.exists(data)) {
      try {
        initialise(data);
      } finally {
        clearIncomplete();
      }
    }
    requireSameMajor(data);
    EmbeddedServerFiles.writePrivate(data.resolve(SETTINGS_FILE), settings(port));
    if (account.uid() != EmbeddedServerFiles.uid(data) || !account.prefix().isEmpty()) {
      give(data);
    }
  }

  /** Returns the port of the start before this one. */
  Optional<Integer> lastPort() throws IOException {
    String settings =
        EmbeddedServerFiles.read(data(options.directory()).resolve(SETTINGS_FILE)).orElse("");
    Matcher port = PORT.matcher(settings);
    return port.find() ? Optional.of(Integer.valueOf(port.group(1))) : Optional.empty();
  }

  private void initialise(Path data) throws IOException {
    // Each has its own name: the initdb of a start that was killed goes on, and deletes what it
    // finds under its name if it fails.
    Path incomplete = Files.createDirectories(incomplete()).resolve(UUID.randomUUID().toString());
    String password = newPassword();
    EmbeddedServerFiles.writePrivate(passwordFile(options.directory()), password);
    Path verifier = options.directory().resolve("password.verifier");
    EmbeddedServerFiles.writePrivate(verifier, PasswordVerifier.of(password));
    EmbeddedServerCommand.Result result;
    try {
      result = EmbeddedServerCommand.run(initdb(incomplete, verifier));
    } finally {
      Files.delete(verifier);
    }
    if (!result.succeeded()) {
      throw new EmbeddedServerException(
          ("cannot create a database in %s: %s; make room or fix the directory, or choose"
                  + " another one")
              .formatted(options.directory(), result.reason()));
    }
    Path configuration = incomplete.resolve("postgresql.conf");
    Files.writeString(
        configuration, Files.readString(configuration) + "\ninclude '" + SETTINGS_FILE + "'\n");
    Files.move(incomplete, data, StandardCopyOption.ATOMIC_MOVE);
  }

  private Path incomplete() {
    return options.directory().resolve("data.incomplete");
  }

  /** Deletes what starts that failed or were killed have left. */
  private void clearIncomplete() throws IOException {
    try {
      DirectoryTree.delete(incomplete());
    } catch (DirectoryNotEmptyException e) {
      // An initdb that was left still writes there. It fails for that and ends; the next start
      // deletes the rest.
    }
  }

  private List<String> initdb(Path data, Path passwordFile) {
    List<String> command =
        account.command(
            binaries.program("initdb"),
            "--pgdata=" + data,
            "--username=" + USER,
            "--pwfile=" + passwordFile,
            "--auth=scram-sha-256",
            "--encoding=UTF8",
            "--locale=C",
            "--no-instructions");
    if ("off".equals(options.settings().get("fsync"))) {
      command.add("--no-sync");
    }
    return command;
  }

  private void requireSameMajor(Path data) throws IOException {
    Optional<String> found = EmbeddedServerFiles.read(data.resolve("PG_VERSION"));
    if (found.isEmpty()) {
      throw new EmbeddedServerException(
          data + " is no PostgreSQL data directory; move it away or choose another directory");
    }
    String wanted = major();
    String had = found.get().strip();
    if (!had.equals(wanted)) {
      throw new EmbeddedServerException(
          ("%s was made by PostgreSQL %s, this Holdfast brings %s; dump it with PostgreSQL"
                  + " %s and move it away, or choose another directory")
              .formatted(data, had, wanted, had));
    }
  }

  private String major() throws IOException {
    String version =
        EmbeddedServerCommand.run(account.command(binaries.program("initdb"), "--version"))
            .output();
    return version.replaceFirst("(?s)^\\D*(\\d+).*$", "$1");
  }

  private String settings(int port) {
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("listen_addresses", "127.0.0.1");
    settings.put("port", Integer.toString(port));
    settings.put("unix_socket_directories", "");
    settings.put("max_connections", "200");
    settings.put("fsync", "on");
    settings.put("synchronous_commit", "on");
    if (binaries.hasLibrary("pg_stat_statements")) {
      settings.put("shared_preload_libraries", "pg_stat_statements");
    }
    settings.putAll(options.settings());
    StringBuilder lines = new StringBuilder("# Rewritten at every start by Holdfast.\n");
    settings.forEach((name, value) -> lines.append(name).append(" = ").append(quoted(value)));
    return lines.toString();
  }

  private static String quoted(String value) {
    return "'" + value.replace("'", "''") + "'\n";
  }

  private void give(Path data) throws IOException {
    if (account.prefix().isEmpty()) {
      throw new EmbeddedServerException(
          data + " belongs to another user; change its owner or choose another directory");
    }
    EmbeddedServerFiles.giveTo(data, account.uid());
  }

  private static String newPassword() {
    byte[] bytes = new byte[24];
    new SecureRandom().nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }
}
