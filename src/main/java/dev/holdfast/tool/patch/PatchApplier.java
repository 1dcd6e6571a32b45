package dev.holdfast.tool.patch;

import dev.holdfast.tool.git.Git;
import dev.holdfast.tool.git.GitCommand;
import dev.holdfast.tool.git.GitResult;
import dev.holdfast.tool.patch.FileDiff.Operation;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Applies what a model answers to a directory (E40-E46). It accepts unified diffs, whole-file
 * blocks and search/replace blocks, within prose and code fences, several in one answer. All of it
 * is applied or nothing. The final decision is made by {@code git apply}, in a fixed locale,
 * without any repository or configuration.
 *
 * <p>The patch for git is written again from what was read, so that git sees exactly the paths that
 * were checked. The counts of a hunk stay as the model wrote them, except where they are too small:
 * git would silently drop the lines beyond them.
 *
 * <p>Thread-safe; the caller must not apply two patches to one directory at the same time.
 *
 * @param git perhaps confined to the directory it runs in
 */
public record PatchApplier(Git git, PatchLimits limits) {
  /**
   * @param directory the root that the patch's paths are relative to
   * @param modelOutput all of the model's answer
   * @throws IOException if the directory cannot be read or git cannot be started
   * @throws InterruptedException if the thread was interrupted; the directory is then as it was
   */
  public PatchResult apply(Path directory, String modelOutput)
      throws IOException, InterruptedException {
    try {
      PatchTarget target = new PatchTarget(directory);
      PatchDraft draft = new AnswerPatch(target, limits, git).read(modelOutput).changing();
      return draft.files().isEmpty() ? new PatchResult.NoOp() : apply(target, draft);
    } catch (PatchRejection e) {
      return e.rejected();
    }
  }

  /**
   * Reads and checks as {@link #apply} does, but changes nothing and leaves open whether the patch
   * fits. A search text that is not in its file makes a patch invalid: there is nothing to apply.
   */
  public PatchValidity validate(Path directory, String modelOutput)
      throws IOException, InterruptedException {
    try {
      PatchTarget target = new PatchTarget(directory);
      PatchDraft draft = new AnswerPatch(target, limits, git).read(modelOutput).changing();
      return new PatchValidity.Valid(List.copyOf(draft.paths()), draft.added(), draft.removed());
    } catch (PatchRejection e) {
      return new PatchValidity.Invalid(e.rejected());
    }
  }

  private PatchResult apply(PatchTarget target, PatchDraft draft)
      throws IOException, InterruptedException, PatchRejection {
    FilesBefore before = new FilesBefore(target, draft.paths());
    boolean applied = false;
    try {
      String patch = run(target, draft);
      keepPermissions(before, draft);
      applied = true;
      return new PatchResult.Applied(
          List.copyOf(draft.paths()), draft.added(), draft.removed(), patch);
    } finally {
      if (!applied) {
        before.restore();
      }
    }
  }

  private static void keepPermissions(FilesBefore before, PatchDraft draft) throws IOException {
    for (FileDiff file : draft.files()) {
      boolean same = file.operation() == Operation.MODIFY || file.operation() == Operation.RENAME;
      if (same && file.newMode() == null) {
        before.keepPermissions(file.oldPath(), file.newPath());
      }
    }
  }

  /** Runs git; returns the text that git accepted. */
  private String run(PatchTarget target, PatchDraft draft)
      throws IOException, InterruptedException, PatchRejection {
    String patch = draft.text();
    GitResult result = git(target, patch);
    if (!result.isSuccess() && GitRefusal.isCorrupt(result.stderr())) {
      patch = withoutEmptyLines(patch);
      result = git(target, patch, "--recount");
    }
    if (!result.isSuccess()) {
      throw new GitRefusal(target, draft.files()).of(said(result), patch);
    }
    SortedSet<String> written = new TreeSet<>(paths(result.stdout()));
    written.removeAll(draft.paths());
    if (!written.isEmpty()) {
      throw PathSafety.unsafe(written.first(), "is not among the paths that were checked");
    }
    return patch;
  }

  private static String said(GitResult result) {
    return result.exitCode() == GitResult.TIMED_OUT
        ? "git was stopped because it took too long"
        : result.stderr();
  }

  /** Removes lines that are exactly empty; a line of spaces is a line of context (E45). */
  private static String withoutEmptyLines(String patch) {
    return Stream.of(patch.split("\n", -1))
        .filter(line -> !line.isEmpty())
        .collect(Collectors.joining("\n", "", "\n"));
  }

  /** Applies the patch, and lists in the same run what was written. */
  private GitResult git(PatchTarget target, String patch, String... options)
      throws IOException, InterruptedException {
    List<String> words =
        new ArrayList<>(List.of("apply", "--apply", "--numstat", "-z", "--whitespace=nowarn"));
    words.addAll(List.of(options));
    words.add("-");
    return git.run(
        GitCommand.in(target.root(), words.toArray(String[]::new))
            .withInput(patch)
            .withVariable("GIT_DIR", "/dev/null")
            .withVariable("GIT_CEILING_DIRECTORIES", String.valueOf(target.root().getParent())));
  }

  private static List<String> paths(String numstat) {
    List<String> paths = new ArrayList<>();
    for (String entry : numstat.split("\0", -1)) {
      String path = entry.substring(entry.lastIndexOf('\t') + 1);
      if (!path.isEmpty()) {
        paths.add(path);
      }
    }
    return paths;
  }
}
