package dev.holdfast.tool.patch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tool.git.Git;
import dev.holdfast.tool.git.GitProgram;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("Patches as models write them, on real git")
@Timeout(120)
@Order(1) // it runs git all the time
class PatchCorpusIT {
  private static final Git GIT = GitProgram.unconfined(System.getenv());

  @TempDir Path temp;

  static List<PatchCase> cases() throws Exception {
    return PatchCase.all();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("cases")
  @DisplayName("E40 E41 E42 E43 E44 E45 E46: each gets its verdict, and changes that or nothing")
  void verdicts(PatchCase each) throws Exception {
    Path root = Files.createDirectory(temp.resolve("root"));
    each.lay(root);
    Map<String, String> before = PatchCase.tree(root);
    PatchApplier applier = new PatchApplier(GIT, PatchLimits.DEFAULT);
    PatchValidity validity = applier.validate(root, each.answer());
    assertThat(PatchCase.tree(root)).isEqualTo(before);

    PatchResult result = applier.apply(root, each.answer());
    switch (result) {
      case PatchResult.Applied applied -> {
        assertThat("APPLIED " + String.join(" ", applied.filesChanged())).isEqualTo(each.verdict());
        assertThat(validity)
            .isEqualTo(
                new PatchValidity.Valid(
                    applied.filesChanged(), applied.linesAdded(), applied.linesRemoved()));
        checkAfter(each, root);
        checkAgain(each, applied, PatchCase.tree(root));
      }
      case PatchResult.NoOp noOp -> {
        assertThat("NO_OP").isEqualTo(each.verdict());
        assertThat(PatchCase.tree(root)).isEqualTo(before);
      }
      case PatchResult.Rejected rejected -> {
        assertThat(rejected.kind().name()).as(rejected.explanation()).isEqualTo(each.verdict());
        assertThat(rejected.errorHash()).hasSize(64);
        each.all("says")
            .forEach(says -> assertThat(rejected.explanation()).contains(says.argument()));
        assertThat(PatchCase.tree(root)).isEqualTo(before);
        assertThat(temp).isDirectoryNotContaining(path -> !path.equals(root));
        if (rejected.kind().isInvalid()) {
          assertThat(validity).isEqualTo(new PatchValidity.Invalid(rejected));
        }
      }
    }
  }

  private static void checkAfter(PatchCase each, Path root) {
    assertThat(each.all("after")).as("what is there afterwards").isNotEmpty();
    each.all("after")
        .forEach(
            file ->
                assertThat(root.resolve(file.argument()))
                    .hasBinaryContent(file.text().getBytes(StandardCharsets.UTF_8)));
    each.all("absent").forEach(file -> assertThat(root.resolve(file.argument())).doesNotExist());
  }

  /** What a journal keeps does the same on the same tree. */
  private void checkAgain(PatchCase each, PatchResult.Applied applied, Map<String, String> after)
      throws Exception {
    Path again = Files.createDirectory(temp.resolve("again"));
    each.lay(again);
    assertThat(new PatchApplier(GIT, PatchLimits.DEFAULT).apply(again, applied.diff()))
        .isEqualTo(applied);
    assertThat(PatchCase.tree(again)).isEqualTo(after);
  }

  @Test
  @DisplayName("The corpus has at least 60 cases, and each kind of verdict")
  void large() throws Exception {
    assertThat(cases()).hasSizeGreaterThan(60);
    for (String verdict :
        List.of("APPLIED", "NO_OP", "NO_DIFF", "MALFORMED", "UNSAFE", "DOES_NOT_APPLY")) {
      assertThat(cases()).anyMatch(each -> each.verdict().startsWith(verdict));
    }
  }
}
