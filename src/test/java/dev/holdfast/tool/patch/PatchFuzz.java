package dev.holdfast.tool.patch;

import static dev.holdfast.fuzz.FuzzTarget.require;

import dev.holdfast.fuzz.FuzzTarget;
import java.util.List;

/** Patches as models write them. */
public final class PatchFuzz {
  private static final int LONGEST_EXPLANATION = 4_000;

  public static final FuzzTarget ANSWER = FuzzTarget.ofText("answer", PatchFuzz::answer);
  public static final FuzzTarget DIFF = FuzzTarget.ofText("diff", PatchFuzz::diff);

  private PatchFuzz() {}

  private static void answer(String text) {
    try {
      List<AnswerPart> parts = new AnswerReader(text, path -> path.length() % 2 == 0).read();
      int held = parts.stream().mapToInt(PatchFuzz::length).sum();
      require(held <= 2 * text.length() + 100, "the parts are no longer than the answer");
    } catch (PatchRejection e) {
      refused(e);
    }
  }

  private static int length(AnswerPart part) {
    return switch (part) {
      case AnswerPart.Diff diff -> diff.text().length();
      case AnswerPart.WholeFile file -> file.content().length();
      case AnswerPart.Edit edit -> edit.search().length() + edit.replace().length();
      case AnswerPart.Chunk chunk -> chunk.search().length() + chunk.replace().length();
      case AnswerPart.NewFile file -> file.content().length();
      case AnswerPart.Deletion deletion -> deletion.path().length();
    };
  }

  /** What was read and is written again reads the same, if its paths may be written at all. */
  private static void diff(String text) {
    for (boolean fenced : new boolean[] {true, false}) {
      try {
        for (FileDiff file : new DiffReader(text, fenced, path -> true).read()) {
          require(file.added() + file.removed() <= text.length(), "no line is made up");
          for (String path : file.paths()) {
            PathSafety.check(path);
          }
          boolean whole = file.hunks().stream().noneMatch(Hunk::isShort);
          if (whole && file.binary().isEmpty()) {
            again(file);
          }
        }
      } catch (PatchRejection e) {
        refused(e);
      }
    }
  }

  private static void again(FileDiff file) throws PatchRejection {
    String written = file.text();
    List<FileDiff> read =
        new DiffReader(written.substring(0, written.length() - 1), true, path -> true).read();
    require(read.size() == 1, "one file is written and read: " + written);
    FileDiff same = read.getFirst();
    require(same.text().equals(written), "it is written the same again: " + written);
    require(same.hunks().equals(file.hunks()), "its hunks are the same: " + written);
    require(same.operation() == file.operation(), "it does the same: " + written);
    require(same.paths().equals(file.paths()), "to the same paths: " + written);
  }

  private static void refused(PatchRejection e) {
    String explanation = e.rejected().explanation();
    require(!explanation.isBlank(), "a refusal says why");
    require(explanation.length() <= LONGEST_EXPLANATION, "a refusal is short: " + explanation);
  }
}
