package dev.holdfast.tool.patch;

import dev.holdfast.process.Utf8;
import dev.holdfast.tool.git.Git;
import dev.holdfast.tool.patch.FileDiff.Operation;
import dev.holdfast.tool.patch.PatchResult.Kind;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/** Makes one patch of all changes in an answer. */
record AnswerPatch(PatchTarget target, PatchLimits limits, Git git) {
  private static final String NO_DIFF =
      """
      There is no patch in the answer. Give one of these forms:
      - a unified diff, best in a ```diff fence, with "--- a/PATH", "+++ b/PATH" and "@@ -1,3 +1,4 @@"
      - search/replace blocks, each below a line with the path: "<<<<<<< SEARCH", the lines as they are, \
      "=======", the lines as they should be, ">>>>>>> REPLACE"
      - a whole file in a fence below a line "File: PATH"
      """;

  /**
   * Reads and checks the patch. It gets the line ends that the files have and the context that git
   * needs.
   */
  PatchDraft read(String answer) throws IOException, InterruptedException, PatchRejection {
    if (answer.getBytes(StandardCharsets.UTF_8).length > limits.maxBytes()) {
      throw new PatchRejection(
          Kind.TOO_LARGE,
          "The answer is larger than " + limits.maxBytes() + " bytes: change less at once.");
    }
    String text = Utf8.withoutMark(answer);
    List<AnswerPart> parts = new AnswerReader(text, target::isFile).read();
    if (parts.isEmpty()) {
      throw new PatchRejection(Kind.NO_DIFF, NO_DIFF);
    }
    List<FileDiff> files = new ArrayList<>();
    BlockEdits blocks = new BlockEdits(target);
    for (AnswerPart part : parts) {
      switch (part) {
        case AnswerPart.Diff diff -> addNew(files, diffs(diff));
        case AnswerPart.WholeFile file -> blocks.take(file);
        case AnswerPart.Edit edit -> blocks.take(edit);
        case AnswerPart.Chunk chunk -> blocks.take(chunk);
        case AnswerPart.NewFile file -> blocks.take(file);
        case AnswerPart.Deletion deletion -> blocks.take(deletion);
      }
    }
    new PatchDraft(files).check(target, limits);
    refuseTwice(files, blocks);
    refuseNested(files, blocks);
    files.addAll(new DiffReader(blocks.diff(git), true, target::isFile).read());
    return new PatchDraft(adapted(files)).check(target, limits);
  }

  private List<FileDiff> diffs(AnswerPart.Diff part) throws PatchRejection {
    List<FileDiff> files = new DiffReader(part.text(), part.fenced(), target::isFile).read();
    if (files.isEmpty()) {
      throw PatchRejection.malformed(
          "The diff names no file: begin it with \"--- a/PATH\" and \"+++ b/PATH\".");
    }
    List<Hunk> last = files.getLast().hunks();
    if (part.cutOff() && !last.isEmpty() && last.getLast().isShort()) {
      throw PatchRejection.malformed(
          "The answer ended in the middle of the diff of "
              + files.getLast().newPath()
              + ": write less, all of it.");
    }
    return files;
  }

  /** Adds new diffs only: a model that shows its diff again at the end means it once. */
  private static void addNew(List<FileDiff> files, List<FileDiff> more) {
    more.stream().filter(file -> !files.contains(file)).forEach(files::add);
  }

  private static void refuseTwice(List<FileDiff> files, BlockEdits blocks) throws PatchRejection {
    SortedSet<String> twice = new TreeSet<>(new PatchDraft(files).paths());
    twice.retainAll(blocks.paths());
    if (!twice.isEmpty()) {
      throw PatchRejection.malformed(
          twice.first() + " is changed by a diff and by a block: change it by one of them.");
    }
  }

  /**
   * Refuses a path below a file of the same answer. Each may be allowed alone, but a file has
   * nothing below it.
   */
  private static void refuseNested(List<FileDiff> files, BlockEdits blocks) throws PatchRejection {
    SortedSet<String> all = new TreeSet<>(new PatchDraft(files).paths());
    all.addAll(blocks.paths());
    for (String path : all) {
      for (int end = path.indexOf('/'); end >= 0; end = path.indexOf('/', end + 1)) {
        if (all.contains(path.substring(0, end))) {
          throw new PatchRejection(
              Kind.DOES_NOT_APPLY,
              "%s is a file of the same answer, so there is no %s. Nothing was changed."
                  .formatted(path.substring(0, end), path));
        }
      }
    }
  }

  private List<FileDiff> adapted(List<FileDiff> files) throws IOException, PatchRejection {
    List<FileDiff> adapted = new ArrayList<>();
    for (FileDiff file : files) {
      List<Hunk> hunks = file.hunks();
      if (file.operation() == Operation.CREATE) {
        hunks = LineEnds.LF.adapt(hunks);
      } else if (target.isFile(file.oldPath())) {
        byte[] content = target.read(file.oldPath());
        hunks = ByteOrderMark.adapt(LineEnds.of(content).adapt(hunks), content);
        if (file.operation() != Operation.DELETE) {
          hunks = new MissingContext(file.oldPath(), content).added(hunks);
        }
      }
      adapted.add(file.withHunks(hunks));
    }
    return adapted;
  }
}
