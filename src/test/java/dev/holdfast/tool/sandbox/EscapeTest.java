package dev.holdfast.tool.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.process.BaseEnvironment;
import dev.holdfast.process.OutputLimits;
import dev.holdfast.process.ProgramEnd;
import dev.holdfast.process.ProgramRun;
import dev.holdfast.process.ProgramUser;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("issue 20, 1.5: a confined program tries to leave the sandbox")
@Timeout(120)
// bubblewrap refuses to start where a socket that it shall hide has just gone.
@ResourceLock("unix sockets")
class EscapeTest {
  /** Who runs the program. */
  enum User {
    /** Root, in most containers. */
    OF_THE_TEST,
    NOBODY
  }

  /** Not under /tmp, which is empty inside whatever else the profile does. */
  @TempDir(factory = OutsideOfTmp.class, cleanup = CleanupMode.ALWAYS)
  private Path place;

  private Path workspace;
  private Path secret;

  @BeforeEach
  void prepare() throws IOException {
    Files.setPosixFilePermissions(place, PosixFilePermissions.fromString("rwxr-xr-x"));
    workspace = Files.createDirectories(place.resolve(".holdfast/agents/ticket-1"));
    Files.setPosixFilePermissions(workspace, PosixFilePermissions.fromString("rwxrwxrwx"));
    secret = Files.writeString(place.resolve(".holdfast/token"), "the local token");
    Files.writeString(place.resolve("holdfast.yaml"), "the database's password");
  }

  private String run(User user, Network network, String script) throws Exception {
    Map<String, String> environment = new HashMap<>(System.getenv());
    if (user == User.NOBODY) {
      environment.put("HOME", "/nonexistent");
    }
    return run(user, environment, network, script);
  }

  private String run(User user, Map<String, String> environment, Network network, String script)
      throws Exception {
    Sandboxes sandboxes =
        Sandboxes.of(
            SandboxMode.AUTO,
            environment,
            List.of(place.resolve(".holdfast"), place.resolve("holdfast.yaml")));
    Sandbox sandbox = sandboxes.get(network);
    assumeTrue(sandbox instanceof Bubblewrap, "bubblewrap is installed and works");
    List<String> command = new ArrayList<>();
    if (user == User.NOBODY) {
      assumeTrue(
          Files.getOwner(Files.createTempFile(place, "mine", "")).getName().equals("root"),
          "the user of the test may become another one");
      command.addAll(List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"));
    }
    command.addAll(sandbox.wrap(List.of("/bin/bash", "-c", script), workspace));
    Map<String, String> variables = BaseEnvironment.of(environment);
    variables.put(ProgramRun.RUN_ID, UUID.randomUUID().toString());
    try (ProgramRun run =
        ProgramRun.start(command, place, variables, "", OutputLimits.merged(20_000, 20_000))) {
      assertThat(run.await(Duration.ofSeconds(30), Duration.ZERO))
          .as(run.stdout().bothEnds())
          .isInstanceOf(ProgramEnd.Exited.class);
      return run.stdout().bothEnds();
    }
  }

  private String run(User user, String script) throws Exception {
    return run(user, Network.NONE, script);
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("it has no capability and gets none, and the disk cannot be made writable")
  void remount(User user) throws Exception {
    Path outside = place.resolve("outside");
    Files.setPosixFilePermissions(place, PosixFilePermissions.fromString("rwxrwxrwx"));
    String said =
        run(
            user,
            "grep -E '^(CapEff|CapBnd|CapPrm|NoNewPrivs)' /proc/self/status;"
                + " mount -o remount,rw,bind / 2>&1; mount -t tmpfs t /mnt 2>&1;"
                + " unshare -Urm sh -c 'echo nested; mount -o remount,rw,bind /' 2>&1;"
                + " chroot / true 2>&1;"
                + " echo x > "
                + outside
                + "; echo x > /etc/holdfast-escaped; echo x > own && cat own");
    assertThat(said)
        .contains("CapEff:\t0000000000000000", "CapPrm:\t0000000000000000")
        .contains("CapBnd:\t0000000000000000", "NoNewPrivs:\t1")
        .doesNotContain("nested")
        .endsWith("x\n");
    assertThat(outside).doesNotExist();
    assertThat(Path.of("/etc/holdfast-escaped")).doesNotExist();
    assertThat(workspace.resolve("own")).hasContent("x");
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("no setting of the kernel's can be changed, though root owns their files")
  void kernel(User user) throws Exception {
    String said =
        run(user, "find /proc /sys -type f -writable 2>/dev/null | head -20; echo looked");
    assertThat(said).isEqualTo("looked\n");
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("the local token, the configuration and other tickets' workspaces are not there")
  void secrets(User user) throws Exception {
    Files.createDirectories(place.resolve(".holdfast/agents/ticket-2"));
    String said =
        run(
            user,
            "cat %s %s /etc/shadow 2>&1; ls %s; umount %s 2>&1; cat %s 2>&1"
                .formatted(
                    secret,
                    place.resolve("holdfast.yaml"),
                    place.resolve(".holdfast/agents"),
                    place.resolve(".holdfast"),
                    secret));
    assertThat(said)
        .contains("ticket-1")
        .doesNotContain("the local token", "the database's password", "ticket-2", "root:");
  }

  @Test
  @DisplayName("the usual places of credentials and histories below the home directory are empty")
  void homes() throws Exception {
    Path home = Files.createDirectory(place.resolve("home"));
    Path elsewhere = Files.createDirectory(place.resolve("elsewhere"));
    Map<String, String> moved =
        Map.of(
            ".config", "XDG_CONFIG_HOME",
            ".local/share", "XDG_DATA_HOME",
            ".claude", "CLAUDE_CONFIG_DIR",
            ".codex", "CODEX_HOME",
            ".cargo", "CARGO_HOME",
            ".gradle", "GRADLE_USER_HOME");
    List<Path> files = new ArrayList<>();
    for (String name :
        List.of(
            ".config/git/credentials",
            ".config/containers/auth.json",
            ".config/gh/hosts.yml",
            ".codex/auth.json",
            ".claude/.credentials.json",
            ".cargo/credentials.toml",
            ".gradle/gradle.properties",
            ".local/share/opencode/auth.json",
            ".pi/agent/auth.json",
            ".zsh_history",
            ".bash_history",
            ".local/share/fish/fish_history")) {
      files.add(home.resolve(name));
      int end = name.lastIndexOf('/');
      moved.forEach(
          (usual, variable) -> {
            if (end >= usual.length() && name.startsWith(usual)) {
              files.add(elsewhere.resolve(variable + name.substring(usual.length())));
            }
          });
    }
    for (Path file : files) {
      Files.createDirectories(file.getParent());
      Files.writeString(file, "password in " + file);
      Files.writeString(file.resolveSibling("program"), "needed");
    }
    Map<String, String> environment = new HashMap<>(System.getenv());
    environment.put("HOME", home.toString());
    moved.values().forEach(each -> environment.put(each, elsewhere.resolve(each).toString()));
    String said =
        run(User.OF_THE_TEST, environment, Network.NONE, "grep -r '' " + home + " " + elsewhere);
    assertThat(said).contains(".codex/program:needed").doesNotContain("password");
  }

  @Test
  @DisplayName(
      "a socket in another user's directory, which nobody else can enter, hinders no program: the"
          + " directory is hidden")
  void closedDirectory() throws Exception {
    assumeTrue(Files.getOwner(place).getName().equals("root"), "the test's user");
    Path closed = Files.createDirectory(place.resolve("closed"));
    Files.createDirectory(closed.resolve("deep"));
    try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      server.bind(UnixDomainSocketAddress.of(closed.resolve("deep/s")));
      Files.setAttribute(closed, "unix:uid", 65534);
      Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("rwx------"));
      assertThat(run(User.OF_THE_TEST, "ls -A " + closed + "; echo ran")).isEqualTo("ran\n");
    }
  }

  @Test
  @DisplayName("a file of secrets that is replaced while it runs stays hidden with its directory")
  void replaced() throws Exception {
    Path file = Files.createDirectories(place.resolve("keys")).resolve("password");
    Files.writeString(file, "first secret");
    // As Kubernetes mounts a secret: a link to a link, which is replaced.
    Path volume = place.resolve("volume");
    Files.createDirectories(volume.resolve("..1"));
    Files.writeString(volume.resolve("..1/token"), "first secret");
    Files.createSymbolicLink(volume.resolve("..data"), Path.of("..1"));
    Files.createSymbolicLink(volume.resolve("token"), Path.of("..data/token"));
    Path mixed = Files.createDirectories(place.resolve("mixed")).resolve("password");
    Files.writeString(mixed, "first secret");
    Files.writeString(mixed.resolveSibling("program"), "needed");
    List<Path> hidden = List.of(file, volume.resolve("token"), mixed);
    Sandbox sandbox = Sandboxes.of(SandboxMode.AUTO, System.getenv(), hidden).get(Network.NONE);
    assumeTrue(sandbox instanceof Bubblewrap, "bubblewrap is installed and works");
    String script =
        "echo started; read line; cat %s %s 2>/dev/null; cat %s %s"
            .formatted(file, volume.resolve("token"), mixed, mixed.resolveSibling("program"));
    Process program =
        new ProcessBuilder(sandbox.wrap(List.of("/bin/sh", "-c", script), workspace)).start();
    try (BufferedReader output = program.inputReader();
        Writer input = program.outputWriter()) {
      assertThat(output.readLine()).isEqualTo("started");
      move(Files.writeString(place.resolve("new"), "second secret"), file);
      Files.writeString(
          Files.createDirectory(volume.resolve("..2")).resolve("token"), "third secret");
      move(
          Files.createSymbolicLink(volume.resolve("..tmp"), Path.of("..2")),
          volume.resolve("..data"));
      input.write("go on\n");
      input.flush();
      assertThat(output.lines()).containsExactly("needed");
    }
  }

  private static void move(Path from, Path to) throws IOException {
    Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("the worker's process is not there to be read, traced or killed")
  void worker(User user) throws Exception {
    String pid = Long.toString(ProcessHandle.current().pid());
    String said =
        run(
            user,
            "cat /proc/"
                + pid
                + "/environ 2>&1 | tr '\\0' '\\n'; kill -0 "
                + pid
                + " 2>&1 && echo found; echo processes: /proc/[0-9]*");
    assertThat(said).doesNotContain("PATH=", "found");
    assertThat(said.substring(said.indexOf("processes: ")).split(" ")).hasSizeLessThan(6);
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("ports of the worker's console and of PostgreSQL on loopback are out of reach")
  void loopback(User user) throws Exception {
    try (ServerSocket console = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String connect =
          "exec 3<>/dev/tcp/127.0.0.1/" + console.getLocalPort() + " && echo connected";
      assertThat(run(user, connect)).doesNotContain("connected").contains("refused");
      assertThat(run(user, Network.FULL, connect))
          .as("where a design says so")
          .contains("connected");
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("unix sockets, as of PostgreSQL and Docker, are out of reach wherever they are")
  void unixSockets(User user) throws Exception {
    Path socket = place.resolve(".s.PGSQL.5432");
    try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      server.bind(UnixDomainSocketAddress.of(socket));
      Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rwxrwxrwx"));
      String connect =
          "perl -MIO::Socket::UNIX -e 'print IO::Socket::UNIX->new(Peer => shift) ? \"in\" :"
              + " \"no\"' "
              + socket;
      assertThat(run(user, connect)).isEqualTo("no");
      assertThat(run(user, "ls -A /run /var/run/")).doesNotContain(".sock", "postgresql");
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("nor is a unix socket reached of a program that has a network namespace of its own")
  void socketsOfOtherNetworks(User user) throws Exception {
    assumeTrue(ProgramUser.isRoot(), "the test may make a network namespace");
    Path socket = place.resolve("other.sock");
    String listen =
        "$s = IO::Socket::UNIX->new(Local => shift, Listen => 5) or die; chmod 0777, $s->hostpath;"
            + " print qq(listens\\n); STDOUT->flush; sleep 60";
    Process server =
        new ProcessBuilder(
                "unshare",
                "-n",
                "perl",
                "-MIO::Socket::UNIX",
                "-MIO::Handle",
                "-e",
                listen,
                socket.toString())
            .start();
    try {
      assumeTrue("listens".equals(server.inputReader().readLine()), "it can");
      String connect =
          "perl -MIO::Socket::UNIX -e 'print IO::Socket::UNIX->new(Peer => shift) ? \"in\" :"
              + " \"no\"' "
              + socket;
      assertThat(run(user, connect)).isEqualTo("no");
    } finally {
      server.destroyForcibly().waitFor();
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("neither the host's name nor its shared memory nor a terminal is the machine's")
  void namespaces(User user) throws Exception {
    String said =
        run(
            user,
            "for each in user net pid ipc uts mnt cgroup; do readlink /proc/self/ns/$each; done");
    for (String name : List.of("user", "net", "pid", "ipc", "uts", "mnt", "cgroup")) {
      String own = Files.readSymbolicLink(Path.of("/proc/self/ns/" + name)).toString();
      assertThat(said).contains(name + ":[").doesNotContain(own);
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("what others left in /tmp and in shared memory is not there")
  void left(User user) throws Exception {
    Path file = Files.createTempFile("holdfast-left-", "");
    Path shared = Files.createTempFile(Path.of("/dev/shm"), "holdfast-left-", "");
    try {
      assertThat(run(user, "ls -A /tmp /dev/shm; touch /tmp/own && echo written"))
          .contains("written")
          .doesNotContain("holdfast-left-");
    } finally {
      Files.delete(file);
      Files.delete(shared);
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("its session is its own: it can type nothing into a terminal of the worker's")
  void session(User user) throws Exception {
    String stat = run(user, "cat /proc/self/stat");
    assertThat(stat.substring(stat.lastIndexOf(')')).split(" ")[4]).isNotEqualTo("0");
  }

  @Test
  @DisplayName("it does not outlive the worker that is killed")
  void diesWithWorker() throws Exception {
    Sandboxes sandboxes = Sandboxes.of(SandboxMode.AUTO, System.getenv(), List.of());
    Sandbox sandbox = sandboxes.get(Network.NONE);
    assumeTrue(sandbox instanceof Bubblewrap, "bubblewrap is installed and works");
    String seconds = "300." + ProcessHandle.current().pid();
    List<String> command = new ArrayList<>(List.of("/bin/sh", "-c", "\"$@\"; exit", "worker"));
    command.addAll(sandbox.wrap(List.of("/bin/sleep", seconds), workspace));
    Process worker = new ProcessBuilder(command).start();
    await().atMost(Duration.ofSeconds(60)).until(() -> sleeping(seconds).size() > 1);
    worker.destroyForcibly();
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(() -> assertThat(sleeping(seconds)).isEmpty());
  }

  /** Processes with such a word, bubblewrap's own among them. */
  private static List<ProcessHandle> sleeping(String word) {
    return ProcessHandle.allProcesses()
        .filter(each -> List.of(each.info().arguments().orElse(new String[0])).contains(word))
        .toList();
  }
}
