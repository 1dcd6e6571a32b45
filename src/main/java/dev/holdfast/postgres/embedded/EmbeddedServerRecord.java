package dev.holdfast.postgres.embedded;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.holdfast.process.ProcessStart;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * The file {@code embedded.json}: where the server of this home is, and which process is
 * responsible for it. Readable by its owner only, because it holds the password.
 *
 * @param ownerPid the Java process that stops the server when it ends
 * @param ownerStartedAt its {@link ProcessStart}
 */
record EmbeddedServerRecord(
    @JsonProperty("url") String url,
    @JsonProperty("user") String user,
    @JsonProperty("password") String password,
    @JsonProperty("port") int port,
    @JsonProperty("pid") long pid,
    @JsonProperty("directory") String directory,
    @JsonProperty("owner_pid") long ownerPid,
    @JsonProperty("owner_started_at") long ownerStartedAt) {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  /** Makes one for a server that this very process is responsible for. */
  static EmbeddedServerRecord ownedHere(EmbeddedServer.Address address) {
    ProcessHandle self = ProcessHandle.current();
    return new EmbeddedServerRecord(
        address.jdbcUrl(),
        address.user(),
        address.password(),
        address.port(),
        address.pid(),
        address.directory().toString(),
        self.pid(),
        ProcessStart.of(self));
  }

  EmbeddedServer.Address address() {
    return new EmbeddedServer.Address(url, user, password, port, pid, Path.of(directory));
  }

  /** Returns true if the process that started the server still runs. */
  boolean ownerLives() {
    return ProcessHandle.of(ownerPid)
        .filter(ProcessHandle::isAlive)
        .filter(owner -> ProcessStart.of(owner) == ownerStartedAt)
        .isPresent();
  }

  /** Returns true if a process that still runs, and is not this one, started the server. */
  boolean isOfAnotherProcess() {
    return ownerPid != ProcessHandle.current().pid() && ownerLives();
  }

  /**
   * Reads the file of a home; empty if there is none or it is damaged: then it gives no
   * information.
   */
  static Optional<EmbeddedServerRecord> read(Path home) throws IOException {
    Optional<String> text = EmbeddedServerFiles.read(file(home));
    try {
      return text.map(json -> JSON.readValue(json, EmbeddedServerRecord.class));
    } catch (JacksonException e) {
      return Optional.empty();
    }
  }

  void write(Path home) throws IOException {
    EmbeddedServerFiles.writePrivate(file(home), JSON.writeValueAsString(this) + "\n");
  }

  /**
   * Removes the file of the server with this pid and returns true; does nothing where another
   * server has put its own there.
   */
  static boolean remove(Path home, long pid) throws IOException {
    return read(home).filter(found -> found.pid == pid).isPresent()
        && Files.deleteIfExists(file(home));
  }

  private static Path file(Path home) {
    return home.resolve("embedded.json");
  }
}
