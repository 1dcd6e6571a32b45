package dev.holdfast.repair.git;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.tool.patch.PatchApplier;
import dev.holdfast.tool.patch.PatchLimits;
import dev.holdfast.tool.patch.PatchResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("Repositories that are not as usual")
@Timeout(120)
class OddRepositoryIT {
  @TempDir Path temp;
  private GitBench bench;
  private Path original;

  @BeforeEach
  void setUp() throws Exception {
    bench = new GitBench(temp);
    original = bench.repository("original", Map.of("a.txt", "a\n"));
  }

  private void repairs(Path repository, String ref) throws Exception {
    RepositorySource source = RepositorySource.local(repository.toString(), ref);
    try (TicketRepository opened = bench.tickets().open(1, source, Optional.empty())) {
      Worktree worktree = opened.worktree("main", opened.baseTree());
      Files.writeString(worktree.directory().resolve("a.txt"), "repaired\n");
      String commit = opened.commit(worktree.snapshot(), "Repair", Instant.now());
      assertThat(bench.owner(repository, "rev-parse", opened.branch())).isEqualTo(commit);
    }
  }

  @Test
  @DisplayName("Bare, shallow, a linked worktree, a tag, a commit and HEAD all work")
  void work() throws Exception {
    Path bare = temp.resolve("bare.git");
    bench.owner(temp, "clone", "-q", "--bare", original.toString(), bare.toString());
    repairs(bare, "main");
    bench.commit(original, Map.of("a.txt", "b\n"));
    Path shallow = temp.resolve("shallow");
    bench.owner(temp, "clone", "-q", "--depth=1", "file://" + original, shallow.toString());
    repairs(shallow, "main");
    Path linked = temp.resolve("linked");
    bench.owner(original, "worktree", "add", "-q", "-b", "side", linked.toString());
    repairs(linked, "side");
    bench.owner(original, "tag", "-a", "-m", "x", "v1");
    repairs(original, "v1");
    repairs(original, bench.owner(original, "rev-parse", "main^"));
    repairs(original, "HEAD");
  }

  @Test
  @DisplayName(
      "Missing, no repository, a directory within one, empty, no such ref: said with the next step")
  void missing() throws Exception {
    Files.createDirectories(original.resolve("sub"));
    Path empty = Files.createDirectory(temp.resolve("empty"));
    assertRefused(temp.resolve("none"), "main", "there is no directory");
    assertRefused(empty, "main", "is no git repository");
    assertRefused(original.resolve("sub"), "main", "is no git repository");
    assertRefused(original, "nope", "has no branch, tag or commit nope");
    bench.owner(empty, "init", "-q", "-b", "main");
    assertRefused(empty, "main", "has no branch, tag or commit main");
    RepositorySource absent = RepositorySource.remote("file://" + temp.resolve("none"), "main");
    assertThatThrownBy(() -> bench.tickets().open(1, absent, Optional.empty()))
        .isInstanceOf(IOException.class);
    RepositorySource ref = RepositorySource.remote("file://" + original, "nope");
    assertThatThrownBy(() -> bench.tickets().open(1, ref, Optional.empty()))
        .isInstanceOf(RepositoryException.class)
        .hasMessageContaining("has no branch, tag or commit nope");
  }

  @Test
  @DisplayName("One that git finds but cannot read is not said to be none: git's words tell why")
  void unreadable() throws Exception {
    Path linked = temp.resolve("linked");
    bench.owner(original, "worktree", "add", "-q", "-b", "side", linked.toString());
    Path newer = bench.repository("newer", Map.of("a.txt", "a\n"));
    bench.owner(newer, "config", "core.repositoryFormatVersion", "1");
    bench.owner(newer, "config", "extensions.notYetKnown", "true");
    Path broken = bench.repository("broken", Map.of("a.txt", "a\n"));
    Files.writeString(broken.resolve(".git/config"), "[core\n");
    Files.move(original, temp.resolve("moved"));
    assertRefused(linked, "side", original + "/.git/worktrees/linked");
    assertRefused(newer, "main", "notyetknown");
    assertRefused(broken, "main", "bad config");
  }

  @Test
  @DisplayName("A base that its repository no longer has is not said to be a wrong ref")
  void baseGone() throws Exception {
    String gone = "1234567890123456789012345678901234567890";
    for (RepositorySource source :
        List.of(
            RepositorySource.local(original.toString(), "main"),
            RepositorySource.remote("file://" + original, "main"))) {
      assertThatThrownBy(() -> bench.tickets().open(1, source, Optional.of(gone)))
          .isInstanceOf(RepositoryException.class)
          .hasMessageContainingAll(gone, "the repair began", "--fresh")
          .hasMessageNotContaining("repository.ref");
    }
  }

  @Test
  @DisplayName("A partial clone is repaired where it has the files, else it is said what it lacks")
  void partial() throws Exception {
    bench.owner(original, "config", "uploadpack.allowFilter", "true");
    bench.owner(original, "branch", "old");
    bench.commit(original, Map.of("a.txt", "b\n"));
    Path clone = temp.resolve("partial");
    bench.owner(temp, "clone", "-q", "--filter=blob:none", "file://" + original, clone.toString());
    repairs(clone, "main");
    assertRefused(clone, "origin/old", "git -C " + clone + " fetch --refetch --no-filter");
    bench.owner(clone, "fetch", "-q", "--refetch", "--no-filter");
    repairs(clone, "origin/old");
  }

  @Test
  @DisplayName("A branch holdfast, beside which git can make no result, is said with the cure")
  void branchInTheWay() throws Exception {
    bench.owner(original, "branch", "holdfast");
    assertRefused(original, "main", "git branch -m holdfast");
    bench.owner(original, "branch", "-m", "holdfast", "other");
    repairs(original, "main");
  }

  private void assertRefused(Path path, String ref, String message) {
    RepositorySource source = RepositorySource.local(path.toString(), ref);
    assertThatThrownBy(() -> bench.tickets().open(1, source, Optional.empty()))
        .isInstanceOf(RepositoryException.class)
        .hasMessageContaining(message);
  }

  @Test
  @DisplayName("Submodules stay empty and are not patched; a link that leads out is not followed")
  void submodulesAndLinks() throws Exception {
    Path library = bench.repository("library", Map.of("l.txt", "l\n"));
    bench.owner(original, "submodule", "add", "-q", library.toString(), "lib");
    Files.createSymbolicLink(original.resolve("out"), temp);
    Files.writeString(original.resolve("süß 1.txt"), "ü\n");
    bench.commit(original, Map.of());
    try (TicketRepository repository = bench.open(1, original)) {
      Worktree worktree = repository.worktree("main", repository.baseTree());
      assertThat(worktree.directory().resolve("lib")).isEmptyDirectory();
      assertThat(worktree.directory().resolve("out")).isSymbolicLink();
      assertThat(worktree.snapshot()).isEqualTo(repository.baseTree());
      PatchApplier applier = new PatchApplier(GitBench.GIT, PatchLimits.DEFAULT);
      for (String path : new String[] {"lib/x.txt", "out/x.txt", ".gitmodules", ".git"}) {
        String patch = "--- /dev/null\n+++ b/" + path + "\n@@ -0,0 +1 @@\n+x\n";
        assertThat(applier.apply(worktree.directory(), patch))
            .as(path)
            .isInstanceOfSatisfying(
                PatchResult.Rejected.class,
                rejected -> assertThat(rejected.kind()).isEqualTo(PatchResult.Kind.UNSAFE));
      }
      assertThat(applier.apply(worktree.directory(), "süß 1.txt\n```\nß\n```\n"))
          .isInstanceOf(PatchResult.Applied.class);
      assertThat(worktree.changes(repository.baseTree(), worktree.snapshot()))
          .containsExactly("süß 1.txt");
      repository.commit(worktree.snapshot(), "Repair", Instant.now());
    }
    assertThat(temp.resolve("x.txt")).doesNotExist();
  }

  @Test
  @DisplayName(
      "Line ends that .gitattributes would have otherwise: a result has what was changed and no"
          + " more, and files are checked out as they are for people")
  void lineEnds() throws Exception {
    bench.commit(original, Map.of("legacy.txt", "one\r\ntwo\r\n", "code.txt", "bad\n"));
    Files.writeString(original.resolve(".gitattributes"), "*.txt text\n*.bat text eol=crlf\n");
    Files.writeString(original.resolve("run.bat"), "run\r\n");
    bench.owner(original, "add", ".gitattributes", "run.bat");
    bench.owner(original, "commit", "-q", "-m", "Attributes");
    try (TicketRepository repository = bench.open(1, original)) {
      Worktree worktree = repository.worktree("main", repository.baseTree());
      Path directory = worktree.directory();
      assertThat(directory.resolve("run.bat")).hasBinaryContent("run\r\n".getBytes(UTF_8));
      // Touched, as a build might, so that git looks at the files again.
      for (String name : List.of("legacy.txt", "run.bat")) {
        Files.setLastModifiedTime(directory.resolve(name), FileTime.fromMillis(1));
      }
      assertThat(worktree.snapshot()).isEqualTo(repository.baseTree());
      Files.writeString(directory.resolve("code.txt"), "good\n");
      String changed = worktree.snapshot();
      assertThat(worktree.changes(repository.baseTree(), changed)).containsExactly("code.txt");
      assertThat(worktree.snapshot()).as("once more").isEqualTo(changed);
      worktree.restore(changed);
      assertThat(directory.resolve("legacy.txt"))
          .hasBinaryContent("one\r\ntwo\r\n".getBytes(UTF_8));
      Files.writeString(directory.resolve("legacy.txt"), "one\r\nthree\r\n");
      Files.delete(directory.resolve("run.bat"));
      assertThat(worktree.changes(changed, worktree.snapshot()))
          .containsExactly("legacy.txt", "run.bat");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ext::sh -c touch% /tmp/x",
        "fd::3",
        "-oProxyCommand=x",
        "relative/path",
        "",
        "https://u:secret@host/x",
        "transport::address",
        "https://host/a b",
        "C:\\repo"
      })
  @DisplayName("A URL that runs programs, has a password or is none is refused, without showing it")
  void urls(String url) {
    assertThatThrownBy(() -> RepositorySource.remote(url, "main"))
        .isInstanceOf(RepositoryException.class)
        .hasMessageNotContaining("secret");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--upload-pack=x",
        "-x",
        "",
        "a b",
        "a..b",
        "HEAD~1",
        "a^{tree}",
        "a:b",
        "@{-1}",
        "a\nb"
      })
  @DisplayName("A ref that git could take for something else is refused")
  void refs(String ref) {
    assertThatThrownBy(() -> RepositorySource.local("/srv/x", ref))
        .isInstanceOf(RepositoryException.class);
  }

  @Test
  @DisplayName("Usual URLs and refs are taken")
  void usual() {
    for (String url :
        new String[] {"https://host/x.git", "ssh://git@host:22/x", "git@host:group/x.git"}) {
      assertThat(RepositorySource.remote(url, "feature/x-1.2").description()).isEqualTo(url);
    }
    assertThatThrownBy(() -> RepositorySource.local("srv/x", "main"))
        .isInstanceOf(RepositoryException.class);
  }
}
