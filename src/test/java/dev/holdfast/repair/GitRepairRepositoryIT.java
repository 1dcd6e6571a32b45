package dev.holdfast.repair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.repair.git.GitBench;
import dev.holdfast.repair.git.TicketRepository;
import dev.holdfast.repair.verify.VerifyCommand;
import dev.holdfast.ticket.InvalidInputException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The workbench on real git with a real verification. */
@Timeout(120)
class GitRepairRepositoryIT {
  @TempDir private Path directory;
  private OneFileProject project;

  @BeforeEach
  void project() throws Exception {
    project = OneFileProject.in(directory, "bad 0\n");
  }

  @Test
  @DisplayName(
      "E26: candidates are tried in isolation: no state depends on what another trial left")
  void isolated() throws Exception {
    try (TicketRepository repository = project.open("one")) {
      GitRepairRepository bench = OneFileProject.workbench(repository);
      Verified before = bench.verify(bench.baseTree());
      assertThat(before.passed()).isFalse();
      assertThat(before.signature()).isNotEmpty();
      Trial good = bench.attempt(bench.baseTree(), Bench.change("bad 0", "good 1"), 0);
      Trial bad = bench.attempt(bench.baseTree(), Bench.change("bad 0", "bad 2"), 1);
      assertThat(((Trial.Applied) good).verified().passed()).isTrue();
      assertThat(((Trial.Applied) good).lines()).isEqualTo(2);
      assertThat(((Trial.Applied) good).tree().diff()).contains("-bad 0", "+good 1");
      assertThat(((Trial.Applied) bad).verified().signature()).isEqualTo(before.signature());
      assertThat(bench.verify(bench.baseTree())).isEqualTo(before);
      assertThat(bench.attempt(bench.baseTree(), Bench.change("nowhere", "x"), 0))
          .isInstanceOf(Trial.Refused.class);
      assertThat(bench.attempt(bench.baseTree(), "no idea", 0)).isInstanceOf(Trial.NoDiff.class);
      assertThat(bench.invalidity(bench.baseTree(), "no idea", 0)).isPresent();
      assertThat(bench.invalidity(bench.baseTree(), Bench.change("bad 0", "x"), 0)).isEmpty();
    }
    assertThat(project.source().resolve("value.txt")).hasContent("bad 0");
  }

  @Test
  @DisplayName("a state that another machine has made is made again of its diff, and goes on")
  void elsewhere() throws Exception {
    Tree tree;
    try (TicketRepository repository = project.open("one")) {
      GitRepairRepository bench = OneFileProject.workbench(repository);
      tree =
          ((Trial.Applied) bench.attempt(bench.baseTree(), Bench.change("bad 0", "half 1"), 0))
              .tree();
    }
    try (TicketRepository repository = project.open("two")) {
      GitRepairRepository bench = OneFileProject.workbench(repository);
      Trial next = bench.attempt(tree, Bench.change("half 1", "good 2"), 0);
      assertThat(((Trial.Applied) next).verified().passed()).isTrue();
      RepairRepository.Commit commit =
          bench.commit(((Trial.Applied) next).tree(), "Repair", Instant.EPOCH);
      assertThat(commit.branch()).isEqualTo("holdfast/ticket-17");
      new GitBench(directory).owner(project.source(), "cat-file", "-e", commit.id());
      assertThat(bench.sources(tree).files()).containsExactly("check.sh", "value.txt");
      assertThat(bench.sources(tree).text("value.txt")).contains("half 1\n");
      assertThat(bench.sources(tree).text("../value.txt")).isEmpty();
    }
  }

  @Test
  @DisplayName("it is made again of its diff where attributes have the files otherwise")
  void attributesElsewhere() throws Exception {
    project = OneFileProject.in(directory.resolve("ident"), "bad 0\n$Id$\nlast\n");
    new GitBench(directory).commit(project.source(), Map.of(".gitattributes", "*.txt ident\n"));
    assertThat(elsewhere(Bench.change("bad 0", "half 1"), "value.txt"))
        .matches("(?s)half 1\n\\$Id: [0-9a-f]{40} \\$\nlast\n");
  }

  @Test
  @DisplayName(
      "it is made again of its diff where a file of CRLF lines was renamed and written anew")
  void renamedElsewhere() throws Exception {
    project = OneFileProject.in(directory.resolve("crlf"), "a\r\nbad 0\r\n");
    String answer =
        """
        ```diff
        diff --git a/value.txt b/other.txt
        rename from value.txt
        rename to other.txt
        --- a/value.txt
        +++ b/other.txt
        @@ -1,2 +1,2 @@
        -a
        -bad 0
        +b
        +half 1
        ```
        """;
    assertThat(elsewhere(answer, "other.txt")).isEqualTo("b\r\nhalf 1\r\n");
  }

  @Test
  @DisplayName("a patch with which all changes have more than 8 MiB is refused, and the model told")
  void growsTooLarge() throws Exception {
    String wide = "x".repeat(5 << 20) + "\n";
    project = OneFileProject.in(directory.resolve("wide"), "bad 0\n" + wide);
    new GitBench(directory).commit(project.source(), Map.of("other.txt", "old\n" + wide));
    String other =
        """
        other.txt
        <<<<<<< SEARCH
        old
        =======
        new
        >>>>>>> REPLACE
        """;
    try (TicketRepository repository = project.open("one")) {
      GitRepairRepository bench = OneFileProject.workbench(repository);
      Tree tree =
          ((Trial.Applied) bench.attempt(bench.baseTree(), Bench.change("bad 0", "half 1"), 0))
              .tree();
      Trial next = bench.attempt(tree, other, 0);
      assertThat(next).isInstanceOf(Trial.Refused.class);
      assertThat(((Trial.Refused) next).why()).contains("8 MiB");
    }
  }

  private String elsewhere(String answer, String path) throws Exception {
    Tree tree;
    try (TicketRepository repository = project.open("one")) {
      GitRepairRepository bench = OneFileProject.workbench(repository);
      tree = ((Trial.Applied) bench.attempt(bench.baseTree(), answer, 0)).tree();
    }
    try (TicketRepository repository = project.open("two")) {
      return OneFileProject.workbench(repository).sources(tree).text(path).orElseThrow();
    }
  }

  @Test
  @DisplayName("it is made again of its diff where fences of code are in the context")
  void fencesElsewhere() throws Exception {
    String content = "bad 0\n\n```sh\nmake\n```\n\nlast\n";
    project = OneFileProject.in(directory.resolve("markdown"), content);
    Tree tree;
    try (TicketRepository repository = project.open("one")) {
      GitRepairRepository bench = OneFileProject.workbench(repository);
      String answer = Bench.change("bad 0", "half 1") + Bench.change("last", "end");
      tree = ((Trial.Applied) bench.attempt(bench.baseTree(), answer, 0)).tree();
    }
    try (TicketRepository repository = project.open("two")) {
      assertThat(OneFileProject.workbench(repository).sources(tree).text("value.txt"))
          .contains("half 1\n\n```sh\nmake\n```\n\nend\n");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "n=$(printf %0200d 0); for i in $(seq 40); do mkdir $n; cd $n; done",
        "n=$(printf 'caf\\351'); mkdir $n; git init -q $n",
        "mkdir -p n; echo '*' > n/.gitignore; git init -q n/$(printf 'caf\\351')",
        "git init -q --object-format=sha256 n; cd n; git -c user.name=a -c user.email=b commit -q"
            + " --allow-empty -m x",
        "echo '* working-tree-encoding=NONE' > .gitattributes"
      })
  @DisplayName("what a verification leaves and git cannot read is undone, and the run goes on")
  void unreadable(String script) throws Exception {
    String then = "; case \"$(cat \"$PWD0/value.txt\")\" in good*) exit 0;; *) exit 1;; esac";
    VerifyCommand check =
        new VerifyCommand(
            "check",
            List.of("sh", "-c", "PWD0=$PWD; " + script + then),
            Duration.ofSeconds(30),
            Optional.empty());
    try (TicketRepository repository = project.open("one")) {
      GitRepairRepository bench = OneFileProject.workbench(repository, List.of(check));
      assertThat(bench.verify(bench.baseTree()).passed()).isFalse();
      Trial trial = bench.attempt(bench.baseTree(), Bench.change("bad 0", "good 1"), 0);
      assertThat(((Trial.Applied) trial).verified().passed()).isTrue();
      assertThat(((Trial.Applied) trial).tree().diff()).contains("+good 1").hasLineCount(7);
    }
  }

  @Test
  @DisplayName("a patch whose .gitattributes git cannot follow is refused, and the model is told")
  void attributesOfNoUse() throws Exception {
    try (TicketRepository repository = project.open("one")) {
      GitRepairRepository bench = OneFileProject.workbench(repository);
      String answer = "File: .gitattributes\n```\n*.txt working-tree-encoding=NONE\n```\n";
      Trial trial = bench.attempt(bench.baseTree(), answer + Bench.change("bad 0", "good 1"), 0);
      assertThat(((Trial.Refused) trial).why())
          .contains("With its .gitattributes the files cannot be committed", "from NONE to UTF-8");
      Trial next = bench.attempt(bench.baseTree(), Bench.change("bad 0", "good 1"), 0);
      assertThat(((Trial.Applied) next).verified().passed()).isTrue();
    }
  }

  @Test
  @DisplayName(
      "a check that passes at the start but for reports, of which none has a test, is the design's"
          + " fault; no model is asked, for no patch could mend that")
  void noReports() throws Exception {
    List<VerifyCommand> commands =
        List.of(
            new VerifyCommand(
                "check",
                List.of("true"),
                Duration.ofSeconds(30),
                Optional.of("target/surefire-report/*.xml")));
    try (TicketRepository repository = project.open("one")) {
      GitRepairRepository bench = OneFileProject.workbench(repository, commands);
      assertThatThrownBy(() -> bench.verify(bench.baseTree()))
          .isInstanceOf(InvalidInputException.class)
          .hasMessageContaining(
              "check exits with 0, but no test is in any report that matches"
                  + " target/surefire-report/*.xml");
      Trial trial = bench.attempt(bench.baseTree(), Bench.change("bad 0", "half 1"), 0);
      Tree tree = ((Trial.Applied) trial).tree();
      assertThat(bench.verify(tree).passed()).as("a patch that deletes tests").isFalse();
    }
  }

  @Test
  @DisplayName(
      "a patch that was taken back does not go on in what Python has compiled of it: one of the"
          + " same size within the same second passed or failed in the place of the next")
  void compiled() throws Exception {
    String check = "import a, b, sys\nsys.exit(0 if (a.f(), b.g()) == (1, 2) else 1)\n";
    new GitBench(directory)
        .commit(
            project.source(),
            Map.of(
                ".gitignore", "__pycache__/\n",
                "a.py", "def f():\n    return 1\n",
                "b.py", "def g():\n    return 1\n",
                "check.py", check));
    List<VerifyCommand> commands =
        List.of(
            new VerifyCommand(
                "check", List.of("python3", "check.py"), Duration.ofSeconds(30), Optional.empty()));
    String wrong = Bench.change("    return 1", "    return 3").replace("value.txt", "a.py");
    String right = Bench.change("    return 1", "    return 2").replace("value.txt", "b.py");
    try (TicketRepository repository = project.open("one")) {
      GitRepairRepository bench = OneFileProject.workbench(repository, commands);
      for (int i = 0; i < 4; i++) {
        Trial first = bench.attempt(bench.baseTree(), wrong, 0);
        assertThat(((Trial.Applied) first).verified().passed()).isFalse();
        Trial second = bench.attempt(bench.baseTree(), right, 0);
        assertThat(((Trial.Applied) second).verified().passed()).isTrue();
      }
    }
  }

  @Test
  @DisplayName(
      "a patch of a .gitignore makes no product of an earlier build a part of the result, and a"
          + " file of the patch that is ignored is in it")
  void ignoredNoMore() throws Exception {
    new GitBench(directory)
        .commit(project.source(), Map.of(".gitignore", "build/\n/out\n", "old", "x\n"));
    List<VerifyCommand> commands =
        List.of(
            new VerifyCommand(
                "check",
                List.of("sh", "-c", "mkdir -p build; date > build/out; sh check.sh"),
                Duration.ofSeconds(30),
                Optional.empty()));
    String answer =
        """
        *** Begin Patch
        *** Update File: .gitignore
        @@
        -build/
         /out
        *** Add File: out
        +new
        *** Delete File: old
        *** End Patch
        """;
    try (TicketRepository repository = project.open("one")) {
      GitRepairRepository bench = OneFileProject.workbench(repository, commands);
      assertThat(bench.verify(bench.baseTree()).passed()).isFalse();
      Trial trial = bench.attempt(bench.baseTree(), answer + Bench.change("bad 0", "good 1"), 0);
      assertThat(((Trial.Applied) trial).verified().passed()).isTrue();
      assertThat(((Trial.Applied) trial).tree().diff().lines())
          .filteredOn(line -> line.startsWith("diff "))
          .containsExactly(
              "diff --git a/.gitignore b/.gitignore",
              "diff --git a/old b/old",
              "diff --git a/out b/out",
              "diff --git a/value.txt b/value.txt");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "[submodule \"l\"]\n\tpath=\"lib\" # ours\n\turl = x\n"})
  @DisplayName("a patch puts no file in the place of a submodule, which .gitmodules may not name")
  void submoduleUnnamed(String modules) throws Exception {
    GitBench owner = new GitBench(directory);
    if (!modules.isEmpty()) {
      owner.commit(project.source(), Map.of(".gitmodules", modules));
    }
    owner.owner(
        project.source(),
        "update-index",
        "--add",
        "--cacheinfo",
        "160000," + "1".repeat(40) + ",lib");
    owner.owner(project.source(), "commit", "-q", "-m", "a submodule");
    String answer =
        """
        *** Begin Patch
        *** Add File: lib/deep/new
        +new
        *** End Patch
        """;
    try (TicketRepository repository = project.open("one")) {
      GitRepairRepository bench = OneFileProject.workbench(repository);
      Trial trial = bench.attempt(bench.baseTree(), answer + Bench.change("bad 0", "good 1"), 0);
      assertThat(trial).isInstanceOf(Trial.Refused.class);
      assertThat(((Trial.Refused) trial).why()).contains("lib/deep/new", "submodule");
      trial = bench.attempt(bench.baseTree(), Bench.change("bad 0", "good 1"), 0);
      assertThat(((Trial.Applied) trial).tree().diff()).doesNotContain("lib");
      Path lane = directory.resolve("one");
      try (Stream<Path> left = Files.walk(lane)) {
        assertThat(left.filter(each -> each.endsWith("lib/deep/new"))).isEmpty();
      }
    }
  }
}
