package dev.holdfast.tool.patch;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * {@code @@ -oldStart,oldCount +newStart,newCount @@section}.
 *
 * @param section what follows the second {@code @@}
 */
record HunkHeader(int oldStart, int oldCount, int newStart, int newCount, String section) {
  /**
   * The form of a header. The section may have any character, even one that other programs than git
   * take for a line end.
   */
  private static final Pattern FORM =
      Pattern.compile("(?s)@@ -(\\d{1,9})(?:,(\\d{1,9}))? \\+(\\d{1,9})(?:,(\\d{1,9}))? @@(.*)");

  static Optional<HunkHeader> parse(String line) {
    Matcher matcher = FORM.matcher(line);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    return Optional.of(
        new HunkHeader(
            Integer.parseInt(matcher.group(1)),
            count(matcher.group(2)),
            Integer.parseInt(matcher.group(3)),
            count(matcher.group(4)),
            matcher.group(5)));
  }

  HunkHeader withCounts(int old, int changed) {
    return new HunkHeader(oldStart, old, newStart, changed, section);
  }

  String text() {
    return "@@ -" + oldStart + "," + oldCount + " +" + newStart + "," + newCount + " @@" + section;
  }

  private static int count(String group) {
    return group == null ? 1 : Integer.parseInt(group);
  }
}
