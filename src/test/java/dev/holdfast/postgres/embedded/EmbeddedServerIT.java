package dev.holdfast.postgres.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.process.DirectoryTree;
import dev.holdfast.process.ProgramUser;
import dev.holdfast.testing.AtOnce;
import dev.holdfast.testing.JavaCommand;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class EmbeddedServerIT {
  /** Of one cluster, which the first test makes that starts the server of it. */
  @TempDir static Path home;

  /** For those whom that would disturb. */
  @TempDir Path fresh;

  private EmbeddedServerOptions options;

  @BeforeEach
  void beQuick() {
    options = EmbeddedServerOptions.in(home).withSettings(Map.of("fsync", "off"));
  }

  @AfterEach
  void stopWhatIsLeft() {
    if (EmbeddedServer.running(home).isPresent()) {
      ProcessHandle.of(EmbeddedServer.running(home).get().pid())
          .ifPresent(ProcessHandle::destroyForcibly);
    }
  }

  @Test
  @DisplayName(
      "a half-made cluster of ours is made anew; a new server is durable, on loopback only and asks"
          + " for its password; nobody else can read the password or the data")
  void safeByDefault() throws Exception {
    Path incomplete = Files.createDirectories(fresh.resolve("postgres/data.incomplete/base/1"));
    Files.writeString(incomplete.resolve("112"), "half");
    try (EmbeddedServer server = EmbeddedServer.start(EmbeddedServerOptions.in(fresh))) {
      EmbeddedServer.Address address = server.address();
      assertThat(fresh.resolve("postgres/data.incomplete")).doesNotExist();

      assertThat(query(address, "SHOW fsync")).isEqualTo("on");
      assertThat(query(address, "SHOW synchronous_commit")).isEqualTo("on");
      assertThat(query(address, "SHOW full_page_writes")).isEqualTo("on");
      assertThat(query(address, "SHOW listen_addresses")).isEqualTo("127.0.0.1");
      assertThat(query(address, "SELECT current_database()")).isEqualTo("holdfast");
      assertThatThrownBy(
              () -> DriverManager.getConnection(address.jdbcUrl(), address.user(), "guess"))
          .hasMessageContaining("password authentication failed");

      Path directory = address.directory();
      assertThat(permissions(fresh.resolve("embedded.json"))).isEqualTo("rw-------");
      assertThat(permissions(directory.resolve("password"))).isEqualTo("rw-------");
      assertThat(permissions(directory.resolve("data"))).isEqualTo("rwx------");
      assertThat(directory.resolve("password.verifier")).doesNotExist();
      assertThat(address.toString()).doesNotContain(address.password());
    }
  }

  @Test
  @DisplayName(
      "the data outlives a restart; its address stays the same over restarts, so that who knows it"
          + " finds it again; a killed server is not reported as running, and starts again with its"
          + " data")
  void keepsDataAndAddress() throws Exception {
    EmbeddedServer first = EmbeddedServer.start(options);
    execute(first.address(), "CREATE TABLE kept AS SELECT 42 AS answer");
    first.close();
    assertThat(EmbeddedServer.running(home)).isEmpty();

    EmbeddedServer again = EmbeddedServer.start(options);
    assertThat(again.address().port()).isEqualTo(first.address().port());
    assertThat(query(first.address(), "SELECT answer FROM kept")).isEqualTo("42");

    kill(again.address().pid());
    assertThat(home.resolve("postgres/data/postmaster.pid")).exists();
    assertThat(EmbeddedServer.running(home)).isEmpty();
    try (EmbeddedServer afterKill = EmbeddedServer.start(options)) {
      assertThat(afterKill.attached()).isFalse();
      assertThat(afterKill.address().port()).isEqualTo(first.address().port());
      assertThat(query(first.address(), "SELECT answer FROM kept")).isEqualTo("42");
      again.close();
      assertThat(EmbeddedServer.running(home)).contains(afterKill.address());
    }
  }

  @Test
  @DisplayName("where its port belongs to another now, it takes a free one")
  void portTaken() throws Exception {
    EmbeddedServer first = EmbeddedServer.start(options);
    int port = first.address().port();
    first.close();
    try (ServerSocket other = new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
        EmbeddedServer again = EmbeddedServer.start(options)) {
      assertThat(again.address().port()).isNotEqualTo(other.getLocalPort());
      assertThat(query(again.address(), "SELECT 1")).isEqualTo("1");
    }
  }

  @Test
  @DisplayName(
      "a second start in the same process attaches and leaves the server running; running() knows a"
          + " server by its data, not by its port")
  void attachesInProcess() throws IOException {
    try (EmbeddedServer first = EmbeddedServer.start(options)) {
      try (EmbeddedServer second = EmbeddedServer.start(options)) {
        assertThat(second.attached()).isTrue();
        assertThat(second.address()).isEqualTo(first.address());
      }
      assertThat(EmbeddedServer.running(home)).contains(first.address());

      String json = Files.readString(home.resolve("embedded.json"));
      Files.writeString(
          fresh.resolve("embedded.json"),
          json.replace(first.address().directory().toString(), fresh.toString()));
      assertThat(EmbeddedServer.running(fresh)).isEmpty();
      Files.writeString(fresh.resolve("embedded.json"), "{\"url\":");
      assertThat(EmbeddedServer.running(fresh)).isEmpty();
    }
  }

  @Test
  @DisplayName(
      "of two servers that were started from one home the later one is found, and the earlier one"
          + " again when that has ended, or neither once both have")
  void twoInOneHome() {
    try (EmbeddedServer first = EmbeddedServer.start(options)) {
      try (EmbeddedServer second =
          EmbeddedServer.start(options.withDirectory(fresh.resolve("second")))) {
        assertThat(EmbeddedServer.running(home)).contains(second.address());
      }
      assertThat(EmbeddedServer.running(home)).contains(first.address());
    }
    assertThat(home.resolve("embedded.json")).doesNotExist();
  }

  @Test
  @DisplayName("another process attaches, and answers for the server once its owner was killed")
  void adoptsOrphan() throws Exception {
    Process holder = startHolder(home);
    try (BufferedReader output = holder.inputReader()) {
      long pid = Long.parseLong(Objects.requireNonNull(output.readLine()));
      try (EmbeddedServer guest = EmbeddedServer.start(options)) {
        assertThat(guest.attached()).isTrue();
        assertThat(guest.address().pid()).isEqualTo(pid);
      }
      assertThat(EmbeddedServer.running(home)).isPresent();
      holder.destroyForcibly().waitFor();
      try (EmbeddedServer heir = EmbeddedServer.start(options)) {
        assertThat(heir.attached()).isFalse();
        assertThat(heir.address().pid()).isEqualTo(pid);
      }
      assertThat(EmbeddedServer.running(home)).isEmpty();
    } finally {
      holder.destroyForcibly();
    }
  }

  @Test
  @DisplayName("whoever asks for a server that has died while its process lives is told of that")
  void died() throws Exception {
    try (EmbeddedServer server = EmbeddedServer.start(options)) {
      kill(server.address().pid());
      assertThat(askedElsewhere())
          .contains("does not answer", "process " + ProcessHandle.current().pid());
    }
    assertThat(askedElsewhere()).isEqualTo("none");
  }

  @Test
  @DisplayName("a second process leaves the server to its owner where the clock was set meanwhile")
  void clockWasSet() throws Exception {
    assumeTrue(ProgramUser.isRoot(), "only root can mount a file over that of the boot's time");
    Process owner = startHolderBooted(5);
    try (BufferedReader output = owner.inputReader()) {
      long pid = Long.parseLong(Objects.requireNonNull(output.readLine()));
      try (EmbeddedServer guest = EmbeddedServer.start(options)) {
        assertThat(guest.attached()).isTrue();
      }
      assertThat(EmbeddedServer.running(home).orElseThrow().pid()).isEqualTo(pid);
    } finally {
      owner.getOutputStream().close();
      owner.waitFor();
    }
  }

  /** Starts one for which the boot was so much earlier: Linux moves it with the clock. */
  private Process startHolderBooted(int secondsEarlier) throws IOException {
    List<String> lines = new ArrayList<>(Files.readAllLines(Path.of("/proc/stat")));
    lines.replaceAll(
        line ->
            line.startsWith("btime ")
                ? "btime " + (Long.parseLong(line.substring(6)) - secondsEarlier)
                : line);
    Path stat = Files.write(fresh.resolve("stat"), lines);
    String mounted = "mount --bind " + stat + " /proc/stat && exec \"$@\"";
    return startHolder(List.of("unshare", "-m", "sh", "-c", mounted, "sh"), home);
  }

  @Test
  @DisplayName(
      "a server is found once it is prepared, until then others are told that it starts; one that"
          + " cannot be prepared is stopped")
  void prepared() {
    List<String> told = new ArrayList<>();
    try (EmbeddedServer server =
        EmbeddedServer.start(options, address -> told.add(askedElsewhere()))) {
      assertThat(told)
          .containsExactly("the worker here is still starting, or is ending: try again");
      assertThat(askedElsewhere()).isEqualTo(server.address().toString());
    }
    assertThat(askedElsewhere()).isEqualTo("none");

    List<EmbeddedServer.Address> lost = new ArrayList<>();
    Consumer<EmbeddedServer.Address> failing =
        address -> {
          lost.add(address);
          throw new IllegalStateException("no schema");
        };
    assertThatThrownBy(() -> EmbeddedServer.start(options, failing)).hasMessage("no schema");
    assertThat(EmbeddedServerProbe.answers(lost.getFirst())).isFalse();
    assertThat(home.resolve("embedded.json")).doesNotExist();
  }

  @Test
  @DisplayName(
      "a server that refuses whoever started it is stopped; one whose starter was killed before it"
          + " had our database gets it from the next")
  void noDatabaseYet() throws Exception {
    EmbeddedServer.Address address;
    try (EmbeddedServer server = EmbeddedServer.start(options)) {
      address = server.address();
    }
    Path pid = home.resolve("postgres/data/postmaster.pid");
    Files.writeString(address.passwordFile(), "another");
    assertThatThrownBy(() -> EmbeddedServer.start(options)).hasMessageContaining("refuses us");
    Files.writeString(address.passwordFile(), address.password());
    assertThat(pid).doesNotExist();

    EmbeddedServer killed = EmbeddedServer.start(options);
    String url = killed.address().jdbcUrl().replaceFirst("holdfast$", "postgres");
    try (Connection connection =
            DriverManager.getConnection(url, address.user(), address.password());
        Statement statement = connection.createStatement()) {
      statement.execute("DROP DATABASE holdfast");
    }
    Files.delete(home.resolve("postgres/embedded.json"));
    try (EmbeddedServer next = EmbeddedServer.start(options)) {
      assertThat(next.address().pid()).isEqualTo(killed.address().pid());
      assertThat(query(next.address(), "SELECT current_database()")).isEqualTo("holdfast");
    }
  }

  @Test
  @DisplayName("a server that was started and cannot be made known is stopped")
  void cannotBeKnown() throws Exception {
    EmbeddedServer.start(options).close();
    Path password = home.resolve("postgres/password");
    Path pid = home.resolve("postgres/data/postmaster.pid");
    Path aside = Files.move(password, home.resolve("aside"));
    assertThatThrownBy(() -> EmbeddedServer.start(options)).hasMessageContaining("lost its file");
    assertThat(pid).doesNotExist();
    Files.move(aside, password);

    Path inTheWay = home.resolve("postgres/embedded.json");
    Files.createDirectories(inTheWay.resolve("x"));
    assertThatThrownBy(() -> EmbeddedServer.start(options)).hasMessageContaining("cannot use");
    assertThat(pid).doesNotExist();
    DirectoryTree.delete(inTheWay);
  }

  @Test
  @DisplayName("what makes the database of a start that was killed does not disturb the next start")
  void killedWhileItMakesTheDatabase() throws Exception {
    Path incomplete = fresh.resolve("postgres/data.incomplete");
    Process killed = startHolder(fresh);
    await().ignoreExceptions().until(() -> isHalfMade(incomplete));
    ProcessHandle left = making(killed.toHandle(), incomplete).orElseThrow();
    signal("STOP", left);
    killed.destroyForcibly().waitFor();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<EmbeddedServer> next =
          threads.submit(() -> EmbeddedServer.start(EmbeddedServerOptions.in(fresh)));
      await().until(() -> making(ProcessHandle.current(), incomplete).isPresent());
      signal("CONT", left);
      try (EmbeddedServer server = next.get()) {
        assertThat(query(server.address(), "SELECT 1")).isEqualTo("1");
      }
    } finally {
      left.destroyForcibly();
    }
    left.onExit().get();
    EmbeddedServer.start(EmbeddedServerOptions.in(fresh)).close();
    assertThat(incomplete).doesNotExist();
  }

  private static boolean isHalfMade(Path incomplete) throws IOException {
    try (Stream<Path> files = Files.walk(incomplete)) {
      return files.anyMatch(file -> file.endsWith("global"));
    }
  }

  private static Optional<ProcessHandle> making(ProcessHandle starter, Path incomplete) {
    return starter
        .descendants()
        .filter(
            each -> each.info().commandLine().orElse("").contains("initdb --pgdata=" + incomplete))
        .findFirst();
  }

  private static void signal(String name, ProcessHandle process) throws Exception {
    int exit = new ProcessBuilder("kill", "-" + name, "" + process.pid()).start().waitFor();
    assertThat(exit).isZero();
  }

  private static String askedElsewhere() {
    try {
      try (BufferedReader output = startHolder(home, "asks").inputReader()) {
        return String.valueOf(output.readLine());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  @DisplayName("a server whose data is gone is not replaced by an empty one")
  void dataIsGone() throws Exception {
    try (EmbeddedServer server = EmbeddedServer.start(options)) {
      kill(server.address().pid());
      Path data = home.resolve("postgres/data");
      Files.move(data, home.resolve("unmounted"));
      assertThatThrownBy(server::startAgain)
          .isInstanceOf(EmbeddedServerException.class)
          .hasMessageContaining("is gone, and no new one is made");
      assertThat(data).doesNotExist();
      Files.move(home.resolve("unmounted"), data);
      server.startAgain();
      assertThat(query(server.address(), "SELECT 1")).isEqualTo("1");
    }
  }

  @Test
  @DisplayName("a stale postmaster.pid whose number now belongs to another process is no obstacle")
  void survivesReusedPid() throws Exception {
    EmbeddedServer killed = EmbeddedServer.start(options);
    kill(killed.address().pid());
    Path pidFile = home.resolve("postgres/data/postmaster.pid");
    String stale = Files.readString(pidFile);
    Files.writeString(
        pidFile, stale.replaceFirst("\\d+", Long.toString(ProcessHandle.current().pid())));
    try (EmbeddedServer server = EmbeddedServer.start(options)) {
      assertThat(EmbeddedServer.running(home)).contains(server.address());
    }
  }

  @Test
  @DisplayName("data of another major version is left alone, and the message says what to do")
  void otherMajor() throws IOException {
    EmbeddedServer.start(options).close();
    Path version = home.resolve("postgres/data/PG_VERSION");
    String ours = Files.readString(version);
    Files.writeString(version, "14\n");
    try {
      assertThatThrownBy(() -> EmbeddedServer.start(options))
          .isInstanceOf(EmbeddedServerException.class)
          .hasMessageContaining("was made by PostgreSQL 14, this Holdfast brings 18")
          .hasMessageContaining("choose another directory");
      assertThat(version).hasContent("14");
    } finally {
      Files.writeString(version, ours);
    }
  }

  @Test
  @DisplayName("a directory of somebody else's is never touched")
  void foreignData() throws IOException {
    Path foreign = Files.createDirectories(fresh.resolve("postgres/data"));
    Path precious = Files.writeString(foreign.resolve("precious.txt"), "mine");
    assertThatThrownBy(() -> EmbeddedServer.start(EmbeddedServerOptions.in(fresh)))
        .hasMessageContaining("is no PostgreSQL data directory; move it away");
    assertThat(precious).hasContent("mine");
  }

  @Test
  @DisplayName("a directory that cannot be written is refused in one line with the next step")
  void notWritable() throws IOException {
    Path file = Files.writeString(fresh.resolve("file"), "");
    assertThatThrownBy(() -> EmbeddedServer.start(options.withDirectory(file.resolve("below"))))
        .isInstanceOf(EmbeddedServerException.class)
        .hasMessageContaining("make it writable, make room, or choose another directory")
        .hasMessageNotContaining("\n");
  }

  @Test
  @DisplayName("too little room is refused before anything is written")
  void noRoom() {
    EmbeddedServerOptions greedy =
        EmbeddedServerOptions.in(fresh).withMinimumFreeBytes(Long.MAX_VALUE);
    assertThatThrownBy(() -> EmbeddedServer.start(greedy))
        .isInstanceOf(EmbeddedServerException.class)
        .hasMessageContaining("MB are needed; make room or choose another directory");
    assertThat(fresh.resolve("postgres/data")).doesNotExist();
  }

  @Test
  @DisplayName("a setting that stops the server is named, with the log to look into")
  void badSetting() {
    EmbeddedServerOptions bad =
        options.withSettings(Map.of("fsync", "off", "shared_buffers", "plenty"));
    assertThatThrownBy(() -> EmbeddedServer.start(bad))
        .hasMessageContaining("does not start: ")
        .hasMessageContaining("holdfast.conf")
        .hasMessageContaining("server.log");
  }

  @Test
  @DisplayName(
      "binaries are unpacked beside the data where the user's cache cannot be written; servers of"
          + " one program that start in the same moment share what one of them unpacks; what holds"
          + " a binary open for an instant, so that Linux does not run it, is waited for")
  void cacheNotWritable() throws Exception {
    Path file = Files.writeString(fresh.resolve("file"), "");
    EmbeddedServerOptions elsewhere = options.withCache(file.resolve("cache"));
    Files.createDirectories(elsewhere.directory());
    List<EmbeddedServerBinaries> unpacked =
        AtOnce.run(
            () -> EmbeddedServerBinaries.unpack(elsewhere),
            () -> EmbeddedServerBinaries.unpack(elsewhere));

    assertThat(unpacked.getFirst()).isEqualTo(unpacked.getLast());
    Path initdb = Path.of(unpacked.getFirst().program("initdb"));
    assertThat(initdb).isExecutable().startsWith(elsewhere.directory());
    assertThat(runsOnceLetGo(unpacked.getFirst())).isTrue();
    try (EmbeddedServer server = EmbeddedServer.start(elsewhere)) {
      assertThat(query(server.address(), "SELECT 1")).isEqualTo("1");
    }
  }

  /** Somebody can write to {@code postgres} until it was tried in vain. */
  private boolean runsOnceLetGo(EmbeddedServerBinaries binaries) throws Exception {
    Path tried = fresh.resolve("tried");
    Path letGo = fresh.resolve("let-go");
    String script =
        "while [ -e %1$s ] && [ ! -e %2$s ]; do sleep 0.01; done; \"$@\"; code=$?; : >%1$s; exit $code"
            .formatted(tried, letGo);
    FileChannel writer =
        FileChannel.open(Path.of(binaries.program("postgres")), StandardOpenOption.WRITE);
    return AtOnce.run(
            () -> runs(prefixed("sh", "-c", script, "sh"), binaries),
            () -> {
              await().until(() -> Files.exists(tried));
              writer.close();
              return Files.createFile(letGo) != null;
            })
        .getFirst();
  }

  private static List<EmbeddedServerAccount> prefixed(String... words) {
    return EmbeddedServerAccount.candidates().stream()
        .map(each -> new EmbeddedServerAccount(each.command(words), each.uid()))
        .toList();
  }

  @Test
  @DisplayName("every account that works here can take over the data of the one before")
  void everyAccount() throws Exception {
    EmbeddedServerBinaries binaries = EmbeddedServerBinaries.unpack(options);
    int works = 0;
    for (int round = 0; round < 2; round++) {
      for (EmbeddedServerAccount account : EmbeddedServerAccount.candidates()) {
        if (runs(List.of(account), binaries)) {
          try (EmbeddedServer server =
              EmbeddedServer.start(options, List.of(account), address -> {})) {
            assertThat(query(server.address(), "SELECT 1")).isEqualTo("1");
            works++;
          }
        }
      }
    }
    assertThat(works).isPositive();
  }

  @Test
  @DisplayName("where no account can run the server, the message says what to do instead")
  void noAccount() {
    List<EmbeddedServerAccount> none =
        List.of(new EmbeddedServerAccount(List.of("/nonexistent/unshare"), 0));
    assertThatThrownBy(() -> EmbeddedServer.start(options, none, address -> {}))
        .hasMessageContaining("/nonexistent/unshare")
        .hasMessageContaining("run as a normal user")
        .hasMessageContaining("HOLDFAST_DATABASE_URL");
  }

  private static boolean runs(
      List<EmbeddedServerAccount> accounts, EmbeddedServerBinaries binaries) {
    try {
      return accounts.contains(EmbeddedServerAccount.choose(accounts, binaries));
    } catch (EmbeddedServerException e) {
      return false;
    }
  }

  private static Process startHolder(Path home, String... more) throws IOException {
    return startHolder(List.of(), home, more);
  }

  private static Process startHolder(List<String> through, Path home, String... more)
      throws IOException {
    List<String> command = new ArrayList<>(through);
    command.addAll(JavaCommand.java("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(EmbeddedServerHolder.class.getName(), home.toString()));
    command.addAll(List.of(more));
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  private void kill(long pid) {
    ProcessHandle.of(pid).orElseThrow().destroyForcibly();
    await().until(() -> EmbeddedServer.running(home).isEmpty());
  }

  private static String permissions(Path file) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
  }

  private static String query(EmbeddedServer.Address address, String sql) throws SQLException {
    try (Connection connection = connect(address);
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      assertThat(row.next()).isTrue();
      return row.getString(1);
    }
  }

  private static void execute(EmbeddedServer.Address address, String sql) throws SQLException {
    try (Connection connection = connect(address);
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static Connection connect(EmbeddedServer.Address address) throws SQLException {
    return DriverManager.getConnection(address.jdbcUrl(), address.user(), address.password());
  }
}
