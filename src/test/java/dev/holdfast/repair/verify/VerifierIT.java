package dev.holdfast.repair.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.repair.git.GitBench;
import dev.holdfast.repair.git.TicketRepository;
import dev.holdfast.repair.git.Worktree;
import dev.holdfast.repair.verify.Verifier.Success;
import dev.holdfast.secret.Secrets;
import dev.holdfast.tool.sandbox.Bubblewrap;
import dev.holdfast.tool.sandbox.Network;
import dev.holdfast.tool.sandbox.Sandbox;
import dev.holdfast.tool.sandbox.SandboxMode;
import dev.holdfast.tool.sandbox.Sandboxes;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

@DisplayName("A verification")
@Timeout(120)
class VerifierIT {
  private static final String REPORT =
      "<testsuite><testcase classname='demo.CalcTest' name='adds' time='0.01'/>"
          + "<testcase classname='demo.CalcTest' name='twice'><failure message='expected 4'"
          + " type='AssertionError'>at demo.CalcTest</failure></testcase></testsuite>";

  @TempDir Path temp;
  private TicketRepository repository;
  private Worktree worktree;
  private Verifier verifier;

  @BeforeEach
  void setUp() throws Exception {
    GitBench bench = new GitBench(temp);
    Path original =
        bench.repository(
            "original", Map.of("a.txt", "a\n", ".gitignore", "out/\n", "r.xml", REPORT));
    repository = bench.open(1, original);
    worktree = repository.worktree("main", repository.baseTree());
    verifier = verifier(new Sandbox.None("this test needs none"));
  }

  @AfterEach
  void tearDown() throws Exception {
    repository.close();
  }

  private static Verifier verifier(Sandbox sandbox) {
    Map<String, String> environment = new HashMap<>(System.getenv());
    environment.put("OPENAI_API_KEY", "sk-very-secret");
    return new Verifier(sandbox, environment, Secrets.NONE);
  }

  private Verification verify(String script) throws Exception {
    return verify(script, Optional.empty(), Success.SEEN_ONCE);
  }

  private Verification verify(String script, Optional<String> junit, Success success)
      throws Exception {
    VerifyCommand command =
        new VerifyCommand("test", List.of("/bin/sh", "-c", script), Duration.ofSeconds(30), junit);
    return verifier.verify(worktree, worktree.snapshot(), List.of(command), success);
  }

  @Test
  @DisplayName("E14: exit code 0 passes; another fails with its output, and no secret is passed on")
  void exitCodes() throws Exception {
    Verification passed = verify("env; test -f a.txt");
    assertThat(passed.passed()).isTrue();
    assertThat(passed.failureSignature()).isEmpty();
    assertThat(passed.runs().getFirst().output())
        .contains("CI=true")
        .doesNotContain("sk-very-secret");
    Verification failed = verify("echo about to fail; exit 3");
    assertThat(failed.passed()).isFalse();
    assertThat(failed.failing())
        .containsExactly(new FailingCheck("test", "exit code 3", "about to fail"));
    assertThat(failed.report(500)).contains("FAILED test: exit code 3", "about to fail");
  }

  @Test
  @DisplayName("A secret in the name of a failing test is taken out, as in what the test says")
  void secretInName() throws Exception {
    Secrets secrets = Secrets.of(Map.of("sk-very-secret", "a.key"));
    verifier = new Verifier(new Sandbox.None("this test needs none"), System.getenv(), secrets);
    Verification failed =
        verify(
            "echo '<testsuite><testcase name=\"takes[sk-very-secret]\">"
                + "<failure>not sk-very-secret</failure></testcase></testsuite>' > r.xml; exit 1",
            Optional.of("r.xml"),
            Success.SEEN_ONCE);
    assertThat(failed.failing())
        .containsExactly(
            new FailingCheck("test", "takes[[redacted:a.key]]", "not [redacted:a.key]"));
  }

  @Test
  @DisplayName("A program that is not there is a failing check, not an error")
  void missingProgram() throws Exception {
    VerifyCommand command =
        new VerifyCommand(
            "test", List.of("no-such-program"), Duration.ofSeconds(9), Optional.empty());
    Verification result =
        verifier.verify(worktree, worktree.snapshot(), List.of(command), Success.SEEN_TWICE);
    assertThat(result.passed()).isFalse();
    assertThat(result.failing().getFirst().name()).contains("cannot start no-such-program");
  }

  @Test
  @DisplayName("All commands run, one after the other in the same files")
  void several() throws Exception {
    Duration time = Duration.ofSeconds(30);
    Verification result =
        verifier.verify(
            worktree,
            worktree.snapshot(),
            List.of(
                new VerifyCommand(
                    "build", List.of("sh", "-c", "echo 1 > built; exit 1"), time, Optional.empty()),
                new VerifyCommand("test", List.of("test", "-f", "built"), time, Optional.empty())),
            Success.SEEN_ONCE);
    assertThat(result.runs()).extracting(CheckRun::passed).containsExactly(false, true);
    assertThat(result.changedFiles()).containsExactly("built");
  }

  @Test
  @DisplayName("A pipe in a file's place is undone and reported")
  void pipe() throws Exception {
    Verification result = verify("rm a.txt; mkfifo a.txt");
    assertThat(result.changedFiles()).containsExactly("a.txt");
    assertThat(worktree.directory().resolve("a.txt")).hasContent("a\n");
  }

  @Test
  @DisplayName(
      "Pipes and endless files that git itself would read are undone: nobody waits for a writer,"
          + " and memory is not filled")
  void readByGit() throws Exception {
    String repository = "git init -q d/n; ref=$(sed 's/ref: //' d/n/.git/HEAD); ";
    for (String script :
        List.of(
            "mkfifo d/.gitignore",
            "mkfifo d/.gitattributes",
            repository + "rm d/n/.git/HEAD; mkfifo d/n/.git/HEAD",
            repository + "mkfifo d/n/.git/packed-refs",
            repository + "ln -s /dev/zero d/n/.git/$ref")) {
      Verification result = verify("mkdir d; echo x > d/f; " + script);
      assertThat(result.passed()).as(script).isTrue();
      assertThat(result.changedFiles()).as(script).contains("d/f");
      assertThat(worktree.directory().resolve("d")).as(script).doesNotExist();
    }
  }

  @Test
  @DisplayName(
      "Closed directories and files that a command leaves are undone and reported, also where the"
          + " worker is not root")
  void closedLeftovers() throws Exception {
    for (String script :
        List.of(
            "mkdir -p d/m; echo x > d/m/f; chmod 500 d/m", "mkdir d; echo x > d/f; chmod 0 d/f")) {
      Verification result = verify(script);
      assertThat(result.passed()).isTrue();
      assertThat(result.changedFiles()).hasSize(1).first().asString().startsWith("d/");
      assertThat(worktree.directory().resolve("d")).doesNotExist();
    }
  }

  @Test
  @DisplayName("One that hangs is killed with all that it started, and says so")
  void hangs() throws Exception {
    VerifyCommand command =
        new VerifyCommand(
            "test",
            List.of("sh", "-c", "echo started; sleep 1000 & echo $! > out.pid; sleep 1000"),
            Duration.ofSeconds(1),
            Optional.empty());
    Verification result =
        verifier.verify(worktree, worktree.snapshot(), List.of(command), Success.SEEN_TWICE);
    assertThat(result.failing().getFirst().name()).isEqualTo("timed out after 1 s and was killed");
    assertThat(result.runs().getFirst().output()).isEqualTo("started\n");
    assertThat(result.changedFiles()).containsExactly("out.pid");
  }

  @Test
  @DisplayName("A flood of output is bounded")
  void floods() throws Exception {
    Verification result =
        verify("echo begin; head -c 5000000 /dev/zero | tr '\\0' x; echo end; exit 1");
    assertThat(result.runs().getFirst().output())
        .hasSizeLessThan(70 * 1024)
        .startsWith("begin")
        .endsWith("end\n");
    assertThat(result.report(1000)).hasSizeLessThan(2000);
  }

  @Test
  @DisplayName("E26: one that changes files is found out, and the files are as before")
  void changesFiles() throws Exception {
    String before = worktree.snapshot();
    Verification result =
        verify("echo x >> a.txt; rm r.xml; echo n > new.txt; mkdir -p out; echo b > out/built");
    assertThat(result.passed()).isTrue();
    assertThat(result.changedFiles()).containsExactly("a.txt", "new.txt", "r.xml");
    assertThat(worktree.snapshot()).isEqualTo(before);
    assertThat(worktree.directory().resolve("out/built")).exists();
  }

  @Test
  @DisplayName("A flaky one passes once, fails when it runs again, and is no success")
  void flaky() throws Exception {
    String script = "mkdir -p out; test -f out/seen && exit 1; touch out/seen";
    Verification result = verify(script, Optional.empty(), Success.SEEN_TWICE);
    assertThat(result.passed()).isFalse();
    assertThat(result.flaky()).isTrue();
    assertThat(result.failureSignature()).isPresent();
    assertThat(result.report(500)).contains("passed once and failed");
    Files.delete(worktree.directory().resolve("out/seen"));
    assertThat(verify(script).passed()).isTrue();
  }

  @Test
  @DisplayName(
      "JUnit reports name the failing tests; a failing test fails a command that exits with 0")
  void reports() throws Exception {
    Optional<String> glob = Optional.of("out/*.xml");
    Verification result =
        verify("mkdir -p out; cp r.xml out/TEST-a.xml; exit 1", glob, Success.SEEN_ONCE);
    assertThat(result.runs().getFirst().tests()).isEqualTo(2);
    assertThat(result.failing())
        .containsExactly(
            new FailingCheck("test", "demo.CalcTest.twice", "expected 4\nat demo.CalcTest"));
    assertThat(verify("mkdir -p out; cp r.xml out/TEST-a.xml", glob, Success.SEEN_ONCE).passed())
        .isFalse();
  }

  @Test
  @DisplayName("A report of an earlier run does not count, and deleted tests do not pass")
  void staleReports() throws Exception {
    Optional<String> glob = Optional.of("out/*.xml");
    verify("mkdir -p out; cp r.xml out/TEST-a.xml", glob, Success.SEEN_ONCE);
    Verification none = verify("true", glob, Success.SEEN_ONCE);
    assertThat(none.passed()).isFalse();
    assertThat(none.failing()).extracting(FailingCheck::name).containsExactly("no test was run");
    Verification broken =
        verify(
            "mkdir -p out; echo '<testsuite><testc' > out/b.xml; exit 1", glob, Success.SEEN_ONCE);
    assertThat(broken.failing().getFirst().name()).isEqualTo("the report out/b.xml cannot be read");
  }

  @Test
  @DisplayName("Files that a broad glob matches and that are no reports stay, and do not count")
  void broadGlob() throws Exception {
    Path pom = worktree.directory().resolve("pom.xml");
    Files.writeString(pom, "<!DOCTYPE project>\n<project/>\n");
    Files.writeString(worktree.directory().resolve("broken.xml"), "<proj");
    Optional<String> glob = Optional.of("**/*.xml");
    String test = "test -f pom.xml && test -f broken.xml && test ! -f r.xml && mkdir -p out";
    String passed = " && echo '<testsuite><testcase name=\"a\"/></testsuite>' > ";
    Verification result = verify(test + passed + "out/a.xml", glob, Success.SEEN_TWICE);
    assertThat(result.failing()).isEmpty();
    assertThat(result.passed()).isTrue();
    assertThat(result.runs().getFirst().tests()).isEqualTo(1);
    assertThat(pom).exists();
    assertThat(verify(test + passed + "broken.xml", glob, Success.SEEN_ONCE).passed()).isTrue();
    Verification none = verify(test, glob, Success.SEEN_ONCE);
    assertThat(none.failing()).extracting(FailingCheck::name).containsExactly("no test was run");
    Verification bad = verify(test + " && echo '<b' > out/b.xml", glob, Success.SEEN_ONCE);
    assertThat(bad.failing().getFirst().name()).isEqualTo("the report out/b.xml cannot be read");
  }

  @Test
  @DisplayName("E23: equal failures of two runs and two worktrees hash equal, others do not")
  void signatures() throws Exception {
    String script =
        "echo \"at $(date +%H:%M:%S.%N) in $PWD/src/Foo.java:$$ after 0.$$ s, pid $$, 0x$$"
            + " /tmp/x$$/y\"; echo FAILED expected 1 but was 2; exit 1";
    String first = verify(script).failureSignature().orElseThrow();
    assertThat(first).matches("[0-9a-f]{64}");
    assertThat(verify(script).failureSignature()).contains(first);
    worktree = repository.worktree("candidate-2", repository.baseTree());
    assertThat(verify(script).failureSignature()).contains(first);
    assertThat(verify(script.replace("was 2", "was 3")).failureSignature().orElseThrow())
        .isNotEqualTo(first);
    assertThat(verify(script.replace("exit 1", "exit 2")).failureSignature().orElseThrow())
        .isNotEqualTo(first);
  }

  @Test
  @DisplayName(
      "E23: where a long output or a long text of a test is cut does not count: a longer duration"
          + " moves the cut")
  void cuts() throws Exception {
    String output =
        "seq -f 'test %%g of the suite has run and is fine' 90; echo '1 failed in %s s'; exit 1";
    assertThat(verify(output.formatted("12.34")).failureSignature())
        .isEqualTo(verify(output.formatted("9.1")).failureSignature())
        .isNotEqualTo(verify(output.replace("1 failed", "2 failed")).failureSignature());
    String report =
        "mkdir -p out; (echo '<testsuite><testcase name=\"a\"><failure>%s ms over';"
            + " seq -f 'at demo.Calc.step%%g of the trace' 90;"
            + " echo '</failure></testcase></testsuite>') > out/a.xml; exit 1";
    Optional<String> glob = Optional.of("out/*.xml");
    assertThat(verify(report.formatted("1234"), glob, Success.SEEN_ONCE).failureSignature())
        .isEqualTo(verify(report.formatted("7"), glob, Success.SEEN_ONCE).failureSignature())
        .isNotEqualTo(
            verify(report.replace("over", "under"), glob, Success.SEEN_ONCE).failureSignature());
  }

  @Test
  @DisplayName(
      "Where bubblewrap works a command cannot write outside of the worktree, and git can be asked")
  void confined() throws Exception {
    Sandbox sandbox = Sandboxes.of(SandboxMode.AUTO, System.getenv(), List.of()).get(Network.NONE);
    assumeTrue(sandbox instanceof Bubblewrap, "bubblewrap is installed and works");
    verifier = verifier(sandbox);
    Path outside = temp.resolve("outside");
    Verification result =
        verify("echo x > in.txt; echo y > " + outside + "; echo z > /usr/holdfast-z");
    assertThat(result.passed()).isFalse();
    assertThat(result.changedFiles()).containsExactly("in.txt");
    assertThat(result.runs().getFirst().output()).contains("Read-only file system");
    assertThat(outside).doesNotExist();
    Verification git =
        verify("git log --format=%s && git diff --exit-code && ! git config some.key x");
    assertThat(git.runs().getFirst().output()).startsWith("a commit").contains("Read-only");
    assertThat(git.passed()).isTrue();
  }

  @Test
  @ResourceLock("unix sockets")
  @DisplayName("A neighbour's socket that goes while a command starts is no failing command")
  void socketGoes() throws Exception {
    Sandbox sandbox = Sandboxes.of(SandboxMode.AUTO, System.getenv(), List.of()).get(Network.NONE);
    assumeTrue(sandbox instanceof Bubblewrap, "bubblewrap is installed and works");
    Bubblewrap real = (Bubblewrap) sandbox;
    Path socket = Files.createTempFile(Path.of("target").toAbsolutePath(), "s", "");
    Files.delete(socket);
    Path goesFirst = temp.resolve("bwrap");
    Files.writeString(
        goesFirst, "#!/bin/sh\nrm -f %s\nexec %s \"$@\"\n".formatted(socket, real.program()));
    Files.setPosixFilePermissions(goesFirst, PosixFilePermissions.fromString("rwxr-xr-x"));
    verifier =
        verifier(
            new Bubblewrap(
                goesFirst,
                real.isolation(),
                real.hidden(),
                real.shown(),
                real.network(),
                real.proxy()));
    try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      server.bind(UnixDomainSocketAddress.of(socket));
      Verification result = verify("echo started");
      assertThat(result.runs().getFirst().output()).isEqualTo("started\n");
      assertThat(result.passed()).isTrue();
      assertThat(socket).doesNotExist();
    } finally {
      Files.deleteIfExists(socket);
    }
  }

  @Test
  @ResourceLock("unix sockets")
  @DisplayName("A command that prints what bubblewrap prints when it cannot start has run, once")
  void soundsUnstarted() throws Exception {
    Sandbox sandbox = Sandboxes.of(SandboxMode.AUTO, System.getenv(), List.of()).get(Network.NONE);
    assumeTrue(sandbox instanceof Bubblewrap, "bubblewrap is installed and works");
    verifier = verifier(sandbox);
    Verification result =
        verify(
            "echo x >> runs; [ $(wc -l < runs) = 1 ] || echo again;"
                + " echo \"bwrap: Can't create file at /x\"; exit 1");
    assertThat(result.failing())
        .containsExactly(new FailingCheck("test", "exit code 1", "bwrap: Can't create file at /x"));
    assertThat(result.runs().getFirst().output()).isEqualTo("bwrap: Can't create file at /x\n");
  }
}
