package dev.holdfast.e2e;

import static dev.holdfast.e2e.TicketRows.await;
import static dev.holdfast.testing.ModelBehaviour.answer;
import static dev.holdfast.testing.ModelBehaviour.choose;
import static dev.holdfast.testing.ModelBehaviour.toolCall;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.process.ProgramUser;
import dev.holdfast.repair.git.GitBench;
import dev.holdfast.testing.JavaCommand;
import dev.holdfast.testing.ModelServer;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.tool.mcp.FakeMcp;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A worker on a machine that can start no program: its disk for them is full, or it may open no
 * more files.
 */
@Tag("slow")
@WithDatabase
class SickMachineIT {
  private static final String SMALL =
      "mount -t tmpfs -o size=1m,nr_inodes=200 tmpfs $TMPDIR; mkdir $TMPDIR/fill; ";

  private static final String LEAVE =
      "mkdir $TMPDIR/holdfast-streams-1; touch -d '3 days ago' $TMPDIR/holdfast-streams-1; ";

  private static final String FILL_WITH_BYTES = "head -c 2m /dev/zero >$TMPDIR/fill/0 2>&1; ";

  /** Has no room for anything but itself. */
  private static final String FULL_DISK =
      "mkdir $TMPDIR/full; mount -t tmpfs -o nr_inodes=1 tmpfs $TMPDIR/full; ";

  /** Has room for small copies. */
  private static final String PLACES =
      "mkdir $TMPDIR/places; mount -t tmpfs -o size=8m tmpfs $TMPDIR/places; ";

  /**
   * Then there is no room for an empty file either. First all that the small disk has must be its
   * own two directories and the three streams of this program, whose names go: other programs'
   * would make room when they end.
   */
  private static final String FILL =
      "while [ $(stat -f -c %d $TMPDIR) -lt 195 ]; do sleep 0.01; done; i=0;"
          + " while true 2>/dev/null >$TMPDIR/fill/$i; do i=$((i+1)); done 2>/dev/null; ";

  private static final int FEWER_THAN_A_START_NEEDS = 4;
  private static final int ENOUGH_FOR_A_FEW = 34;

  private final TicketRows rows;
  @AutoClose private final ModelServer models = ModelServer.start();
  @AutoClose private final Installation holdfast;
  private final Path directory;
  private final Path small;

  SickMachineIT(TestDatabase database, @TempDir Path directory) {
    this.rows = new TicketRows(database.dataSource());
    this.holdfast =
        Installation.on(database, directory)
            .with("OPENAI_API_KEY", "sk-sick-machine")
            .with("HOLDFAST_PROVIDERS_OPENAI_BASE_URL", models.openAiUrl())
            .with("HOLDFAST_TOOLS_SANDBOX", "off");
    this.directory = directory;
    this.small = directory.resolve("small");
  }

  private long enqueue(String name, String design) {
    rows.column(
        "INSERT INTO holdfast.designs (name, version, kind, definition)"
            + " SELECT ?, 1, d.one->>'kind', d.one FROM (SELECT ?::jsonb) AS d (one)",
        name,
        design);
    return rows.enqueue(name, "default");
  }

  /**
   * @param before what a shell does first, with the small directory
   */
  private HoldfastProcess worker(String before) throws Exception {
    assumeTrue(ProgramUser.isRoot(), "only root can mount a small disk");
    Files.createDirectory(small);
    return holdfast
        .with("TMPDIR", small.toString())
        .through("unshare", "-m", "sh", "-c", SMALL + before + "exec \"$@\"", "sh")
        .worker();
  }

  /**
   * @param told how much the worker had told before
   */
  private void awaitUnfit(HoldfastProcess worker, int told, long id) throws Exception {
    await("the worker is not ready")
        .untilAsserted(
            () -> {
              HttpResponse<String> answer = worker.get("/health/ready");
              assertThat(answer.statusCode()).as("%s", worker).isEqualTo(503);
              assertThat(answer.body()).contains("make room there", small.toString());
            });
    await("the log says so")
        .until(
            () -> worker.stderr().substring(told).contains("this worker claims nothing for 1 s"));
    await("the ticket is given back").until(() -> !rows.outcomes(id).isEmpty());
    assertThat(rows.outcomes(id)).containsOnly("given_back");
  }

  private void requireNoRetry(long id) {
    assertThat(rows.of(id, "retry_count"))
        .as(
            "%s",
            rows.column(
                "SELECT error FROM holdfast.ticket_attempts WHERE error IS NOT NULL AND ticket_id ="
                    + " ?",
                id))
        .isEqualTo("0");
  }

  private void makeRoom(HoldfastProcess worker) throws Exception {
    within(worker, "find " + small.resolve("fill") + " -type f -delete");
  }

  /** Where the worker's disks are. */
  private static void within(HoldfastProcess worker, String command) throws Exception {
    String there = "exec nsenter -t " + worker.pid() + " -m " + command;
    assertThat(new ProcessBuilder("sh", "-c", there).start().waitFor()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"full", "full/missing"})
  @DisplayName(
      "a worker with no room for a command's directory or document gives its tickets back and says"
          + " so, and works them when there is room; what a killed one left there days ago is"
          + " deleted")
  void command(String workspaces) throws Exception {
    long id =
        enqueue(
            workspaces.replace('/', '-'),
            "{\"kind\": \"command\", \"review\": \"none\", \"command\": [\"echo\", \"hello\"]}");

    Path full = small.resolve("full");
    Path place = small.resolve(workspaces);
    holdfast.with("HOLDFAST_HANDLERS_COMMAND_WORKSPACES", place.toString());
    HoldfastProcess worker = worker(LEAVE + FULL_DISK + FILL_WITH_BYTES);
    awaitUnfit(worker, 0, id);
    assertThat(worker.stderr()).contains("no directory can be made in " + place);

    within(worker, "mount -o remount,nr_inodes=100 " + full);
    await("its document has no room either")
        .until(() -> worker.stderr().contains("no program can be prepared in " + small));
    assertThat(rows.outcomes(id)).containsOnly("given_back");

    makeRoom(worker);
    rows.awaitState(id, "done");
    requireNoRetry(id);
    await("what was left is deleted")
        .until(() -> worker.stderr().contains("Deleting " + small + "/holdfast-streams-1: "));
  }

  @Test
  @DisplayName(
      "a repair that can start no program is given back, and goes on when there is room: its check"
          + " has not failed; an agent whose tool could not be started is given back, and goes on"
          + " with its session: the model hears that the call was not run")
  void repairAndAgent() throws Exception {
    HoldfastProcess worker = worker("");
    assertRepairGoesOn(worker);
    await("the worker is ready again").until(() -> worker.status("/health/ready") == 200);
    assertAgentGoesOn(worker);
  }

  private void assertRepairGoesOn(HoldfastProcess worker) throws Exception {
    Path project = new GitBench(directory).repository("project", Map.of("a.txt", "a\n"));
    models.always(answer("a.txt\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n"));
    long id =
        enqueue(
            "repair",
            """
            {"kind": "repair", "repository": {"path": "%s", "ref": "main"},
             "goal": "Make the check pass.",
             "verify": [{"name": "once", "command": ["sh", "-c", "mkdir %s && { %s }; true"]},
                        {"name": "check", "command": ["grep", "b", "a.txt"]}],
             "targets": [{"provider": "openai", "model": "gpt-m"}]}
            """
                .formatted(project, directory.resolve("filled"), FILL));

    awaitUnfit(worker, 0, id);
    assertThat(models.requests()).isEmpty();

    makeRoom(worker);
    rows.awaitState(id, "needs_review");
    assertThat(models.requests()).hasSize(1);
    requireNoRetry(id);
  }

  private void assertAgentGoesOn(HoldfastProcess worker) throws Exception {
    models.next(toolCall("run_command", "{\"command\": \"" + FILL + "true\"}"));
    models.always(
        choose(
            request ->
                request.body().toString().contains("\\nhello")
                    ? toolCall(
                        "agent__final_report", "{\"status\": \"success\", \"content\": \"said\"}")
                    : toolCall("run_command", "{\"command\": \"echo hello\"}")));
    int told = worker.stderr().length();
    long id =
        enqueue(
            "agent",
            """
            {"kind": "agent", "system": "You say hello.",
             "targets": [{"provider": "openai", "model": "gpt-a"}],
             "tools": ["run_command"]}
            """);

    awaitUnfit(worker, told, id);

    makeRoom(worker);
    rows.awaitState(id, "needs_review");
    assertThat(models.requests().getLast().body().toString())
        .contains("This call was not run: its program could not be started");
    requireNoRetry(id);
  }

  @Test
  @DisplayName(
      "a repair and an agent for whose files the disk has no room are given back, and worked when"
          + " there is room; a copy that is larger than the disk is the ticket's failure, which"
          + " says so and leaves nothing")
  void places() throws Exception {
    Path places = small.resolve("places");
    holdfast
        .with("HOLDFAST_REPAIR_WORKSPACE_ROOT", places.resolve("repairs").toString())
        .with("HOLDFAST_AGENTS_WORKSPACE_ROOT", places.resolve("agents").toString());
    HoldfastProcess worker = worker(PLACES + "head -c 9m /dev/zero >$TMPDIR/places/fill; ");
    Path project = new GitBench(directory).repository("project", Map.of("a.txt", "a\n"));
    models.always(
        choose(
            request ->
                request.body().toString().contains("You copy")
                    ? toolCall(
                        "agent__final_report", "{\"status\": \"success\", \"content\": \"done\"}")
                    : answer("a.txt\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n")));

    List<Long> ids =
        List.of(enqueue("repair-there", repairOf(project)), enqueue("copy-there", copyOf(project)));
    for (long id : ids) {
      await("the ticket is given back").until(() -> !rows.outcomes(id).isEmpty());
      assertThat(rows.outcomes(id)).containsOnly("given_back");
    }
    assertThat(worker.stderr()).contains("nothing can be written in " + places, "make room there");
    assertThat(models.requests()).isEmpty();

    within(worker, "rm " + places.resolve("fill"));
    for (long id : ids) {
      rows.awaitState(id, "needs_review");
      requireNoRetry(id);
    }

    byte[] large = new byte[9 << 20];
    new Random(1).nextBytes(large);
    new GitBench(directory).commit(project, Map.of("large", HexFormat.of().formatHex(large)));
    assertTooLarge(enqueue("repair-of-large", repairOf(project)), "git fetch failed");
    assertTooLarge(
        enqueue("copy-of-large", copyOf(project)), project + " cannot be copied to " + places);
  }

  private void assertTooLarge(long id, String what) {
    rows.awaitState(id, "on_hold");
    assertThat(rows.outcomes(id)).containsOnly("failed");
    assertThat(rows.of(id, "error")).contains(what, "No space left on device");
  }

  private static String repairOf(Path project) {
    return """
    {"kind": "repair", "repository": {"path": "%s", "ref": "main"},
     "verify": [{"name": "check", "command": ["grep", "b", "a.txt"]}],
     "retry": {"categories": {"system_error": {"max_retries": 0}}},
     "targets": [{"provider": "openai", "model": "gpt-m"}]}
    """
        .formatted(project);
  }

  private static String copyOf(Path from) {
    return """
    {"kind": "agent", "system": "You copy.", "workspace": {"copy_from": "%s"},
     "retry": {"categories": {"system_error": {"max_retries": 0}}},
     "targets": [{"provider": "openai", "model": "gpt-a"}]}
    """
        .formatted(from);
  }

  @Test
  @DisplayName(
      "an agent whose MCP server cannot be started because no more files may be opened is given"
          + " back, and has its tools when there may be more; a worker with room for fewer programs"
          + " than it may run at once goes on with as many as there is room for")
  void fewFiles() throws Exception {
    HoldfastProcess worker = holdfast.with("HOLDFAST_WORKER_CONCURRENCY", "10").worker();
    assertAgentWaitsForItsServer(worker);
    assertGoesOnWithAFew(worker);
  }

  private void assertAgentWaitsForItsServer(HoldfastProcess worker) throws Exception {
    models.always(
        choose(
            request ->
                request.body().toString().contains("fake__echo")
                    ? toolCall(
                        "agent__final_report", "{\"status\": \"success\", \"content\": \"has it\"}")
                    : answer("has it not")));
    long before =
        enqueue(
            "connected",
            """
            {"kind": "agent", "system": "You say what you have.",
             "targets": [{"provider": "openai", "model": "gpt-a"}],
             "mcp": {"fake": {"command": ["%s", "-cp", "%s", "%s", "good"]}}}
            """
                .formatted(
                    JavaCommand.path("java"),
                    FakeMcp.copyTo(directory.resolve("server")),
                    FakeMcp.class.getName()));
    rows.awaitState(before, "needs_review");
    int asked = models.requests().size();

    limitFiles(worker, openFiles(worker) + FEWER_THAN_A_START_NEEDS);
    long id = rows.enqueue("connected", "default");
    await("the ticket is given back").until(() -> !rows.outcomes(id).isEmpty());
    assertThat(rows.outcomes(id)).containsOnly("given_back");
    assertThat(worker.stderr()).contains("no more programs can be started");
    assertThat(models.requests()).hasSize(asked);

    limitFiles(worker, 4096);
    rows.awaitState(id, "needs_review");
    requireNoRetry(id);
  }

  private void assertGoesOnWithAFew(HoldfastProcess worker) throws Exception {
    int told = worker.stderr().length();
    String design =
        "{\"kind\": \"command\", \"review\": \"none\", \"command\": [\"sleep\", \"0.3\"]}";
    rows.awaitState(enqueue("sleep", design), "done");

    limitFiles(worker, openFiles(worker) + ENOUGH_FOR_A_FEW);
    List<Long> ids = Stream.generate(() -> rows.enqueue("sleep", "default")).limit(20).toList();
    for (long id : ids) {
      rows.awaitState(id, "done");
      requireNoRetry(id);
    }
    assertThat(worker.stderr().substring(told))
        .contains("this worker claims nothing for 1 s")
        .doesNotContain("this worker claims nothing for 4 s");
  }

  @Test
  @DisplayName(
      "more connections to a worker's port than it may open files keep it neither from its tickets"
          + " nor from saying that it is ready")
  void connections() throws Exception {
    HoldfastProcess worker = holdfast.through("prlimit", "--nofile=600:600").worker();
    List<Socket> silent = new CopyOnWriteArrayList<>();
    int port = worker.address().getPort();
    Thread visitor = Thread.ofVirtual().start(() -> connectAgainAndAgain(port, silent));
    try {
      await("there are connections").until(() -> silent.size() > 400);
      long id =
          enqueue(
              "hello",
              "{\"kind\": \"command\", \"review\": \"none\", \"command\": [\"echo\", \"hello\"]}");
      rows.awaitState(id, "done");
      assertThat(rows.outcomes(id)).containsExactly("succeeded");
      assertThat(worker.get("/health/ready").statusCode()).isEqualTo(200);
    } finally {
      visitor.interrupt();
      visitor.join();
      for (Socket socket : silent) {
        socket.close();
      }
    }
  }

  /** Each sends a part of a request and no more. */
  private static void connectAgainAndAgain(int port, List<Socket> silent) {
    while (!Thread.currentThread().isInterrupted() && silent.size() < 5000) {
      try {
        Socket socket = new Socket();
        silent.add(socket);
        socket.connect(new InetSocketAddress("127.0.0.1", port), 1000);
        socket.getOutputStream().write("GET / HTTP/1.1\r\nHost: ".getBytes(US_ASCII));
      } catch (IOException e) {
        // There is no room for one more at this moment.
      }
    }
  }

  private static long openFiles(HoldfastProcess worker) throws Exception {
    try (Stream<Path> open = Files.list(Path.of("/proc/" + worker.pid() + "/fd"))) {
      return open.count();
    }
  }

  /** For now: a process may raise its own limit as far again. */
  private static void limitFiles(HoldfastProcess worker, long most) throws Exception {
    String limit = "--nofile=" + most + ":";
    assertThat(
            new ProcessBuilder("prlimit", "--pid", Long.toString(worker.pid()), limit)
                .inheritIO()
                .start()
                .waitFor())
        .isZero();
  }
}
