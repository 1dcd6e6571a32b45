package dev.holdfast.postgres.embedded;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/**
 * Starts and stops the server through {@code pg_ctl}, which also detaches it from the terminal's
 * Ctrl-C.
 */
record EmbeddedServerControl(
    EmbeddedServerOptions options, EmbeddedServerBinaries binaries, EmbeddedServerAccount account) {
  private static final int PORT_ATTEMPTS = 3;

  /**
   * The number of looks for the children of a killed server, which may take so long to notice: 50
   * times 200 ms.
   */
  private static final int ORPHAN_ATTEMPTS = 50;

  private static final long ORPHAN_PAUSE_NANOS = 200_000_000;
  private static final long LOG_LIMIT_BYTES = 10L << 20;

  /**
   * Starts on the port of last time, or on another one if that is taken, and waits until
   * connections are accepted.
   *
   * @throws EmbeddedServerException if the server does not come up
   */
  EmbeddedServerPostmaster start() throws IOException {
    rotateLog();
    int portsLeft = PORT_ATTEMPTS;
    int orphansLeft = ORPHAN_ATTEMPTS;
    EmbeddedServerCluster cluster = new EmbeddedServerCluster(options, binaries, account);
    int port = firstPort(cluster);
    while (true) {
      cluster.prepare(port);
      long logged = Files.exists(log()) ? Files.size(log()) : 0;
      EmbeddedServerCommand.Result result = pgCtl("start", "--timeout=60", "--log=" + log());
      String said = saidSince(logged);
      if (result.succeeded()) {
        return EmbeddedServerPostmaster.read(data()).orElseThrow(() -> failed(said, result));
      }
      if (said.contains("pre-existing shared memory block") && orphansLeft-- > 0) {
        LockSupport.parkNanos(ORPHAN_PAUSE_NANOS);
      } else if (!said.contains("could not bind") || --portsLeft == 0) {
        throw failed(said, result);
      } else {
        port = freePort();
      }
    }
  }

  /**
   * Ends all sessions and stops the server.
   *
   * @throws EmbeddedServerException if it does not stop
   */
  void stop(long pid) throws IOException {
    EmbeddedServerCommand.Result result = pgCtl("stop", "--mode=fast", "--timeout=60");
    if (!result.succeeded() && ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isPresent()) {
      throw new EmbeddedServerException(
          "the embedded PostgreSQL of %s does not stop: %s; end it with: kill -QUIT %s"
              .formatted(options.directory(), result.reason(), pid));
    }
  }

  private EmbeddedServerCommand.Result pgCtl(String... words) throws IOException {
    List<String> command =
        account.command(binaries.program("pg_ctl"), "--pgdata=" + data(), "--wait");
    command.addAll(List.of(words));
    return EmbeddedServerCommand.run(command);
  }

  private EmbeddedServerException failed(String said, EmbeddedServerCommand.Result result) {
    String reason =
        said.lines()
            .filter(line -> line.contains("FATAL:") || line.contains("ERROR:"))
            .reduce(result.reason(), (earlier, later) -> later)
            .replaceFirst("^.*?(FATAL|ERROR):\\s*", "");
    return new EmbeddedServerException(
        "the embedded PostgreSQL of %s does not start: %s; see %s"
            .formatted(options.directory(), reason, log()));
  }

  private String saidSince(long logged) {
    try {
      return Files.readString(log()).substring(Math.toIntExact(logged));
    } catch (IOException | IndexOutOfBoundsException e) {
      return "";
    }
  }

  private void rotateLog() throws IOException {
    if (Files.exists(log()) && Files.size(log()) > LOG_LIMIT_BYTES) {
      Files.move(log(), log().resolveSibling("server.log.1"), StandardCopyOption.REPLACE_EXISTING);
    }
  }

  private Path log() {
    return options.directory().resolve("server.log");
  }

  private Path data() {
    return EmbeddedServerCluster.data(options.directory());
  }

  /**
   * Returns the last port if it is free: processes that are connected look for the server there.
   */
  private static int firstPort(EmbeddedServerCluster cluster) throws IOException {
    Optional<Integer> last = cluster.lastPort();
    return last.isPresent() && isFree(last.get()) ? last.get() : freePort();
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      return socket.isBound();
    } catch (IOException e) {
      return false;
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
