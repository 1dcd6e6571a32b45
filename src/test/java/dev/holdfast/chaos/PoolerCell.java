package dev.holdfast.chaos;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.e2e.HoldfastProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/**
 * All workers come through pgbouncer in transaction mode, where a session is nobody's for longer
 * than a transaction. A worker is killed, and so is the pooler.
 */
final class PoolerCell implements Cell {
  private static final Path PROGRAM = Path.of("/usr/sbin/pgbouncer");
  private static final Duration START = Duration.ofSeconds(10);
  private @Nullable Process pooler;
  private Path directory = Path.of("/nonexistent");
  private int port;

  @Override
  public void prepare(Chaos chaos) throws Exception {
    assumeTrue(Files.isExecutable(PROGRAM), "no pgbouncer: apt-get install pgbouncer");
    directory = Files.createTempDirectory("chaos-pooler-");
    port = Site.freePort();
    Files.writeString(
        directory.resolve("users"),
        "\"%s\" \"%s\"\n".formatted(chaos.site.user(), chaos.site.password()));
    Files.writeString(
        directory.resolve("pgbouncer.ini"),
        """
        [databases]
        holdfast = host=127.0.0.1 port=%s
        [pgbouncer]
        listen_addr = 127.0.0.1
        listen_port = %s
        unix_socket_dir =
        auth_type = plain
        auth_file = %s/users
        pool_mode = transaction
        default_pool_size = 10
        ignore_startup_parameters = extra_float_digits,search_path
        """
            .formatted(chaos.site.port(), port, directory));
    new ProcessBuilder("chmod", "-R", "a+rX", directory.toString()).start().waitFor();
    startPooler();
    chaos.holdfast.with(
        "HOLDFAST_DATABASE_URL",
        "jdbc:postgresql://127.0.0.1:" + port + "/holdfast?prepareThreshold=0");
  }

  /** It refuses to be root. */
  private void startPooler() throws IOException {
    List<String> command = new ArrayList<>();
    if (System.getProperty("user.name").equals("root")) {
      command.addAll(List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"));
    }
    command.addAll(List.of(PROGRAM.toString(), "-q", directory + "/pgbouncer.ini"));
    pooler =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("log").toFile())
            .start();
    Awaitility.await("the pooler listens").atMost(START).until(this::listens);
  }

  private boolean listens() {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (IOException e) {
      return false;
    }
  }

  @Override
  public void rage(Chaos chaos) throws Exception {
    HoldfastProcess worker = chaos.crew.busiest(chaos.database);
    chaos.crew.kill(worker);
    chaos.crew.start(1);
    chaos.pass(chaos.options.length().dividedBy(2));
    chaos.faults.during(
        "pooler killed",
        () -> {
          leave();
          chaos.pass(Duration.ofSeconds(2));
          startPooler();
        });
    chaos.pass(chaos.options.length().dividedBy(2));
  }

  @Override
  public void leave() {
    Process running = pooler;
    if (running != null) {
      running.destroyForcibly().onExit().join();
    }
  }
}
