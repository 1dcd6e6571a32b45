package dev.holdfast.repair;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Chooses the files that a model is shown of a tree: those that the failure, the goal or the patch
 * so far mention, then any small ones that there is room for. Pure except that it reads the files.
 */
final class RelevantFiles {
  private static final int MAX_CHARS = 80_000;
  private static final int MAX_FILE_CHARS = 30_000;
  private static final int MAX_LISTED = 400;
  private static final int FULL_PATH = 8;
  private static final int FILE_NAME = 5;
  private static final int STEM = 3;
  private static final int SHORTEST_STEM = 3;

  /** The score for a file that the first text names; no other file has as much. */
  private static final int FIRST = 10;

  private record Scored(String path, int score) {
    /** Whether one of the texts has at least its stem. */
    boolean isNamed() {
      return score >= STEM;
    }

    /** Whether the texts other than the first have its whole name. */
    boolean isNamedWhole() {
      return score % FIRST >= FILE_NAME;
    }
  }

  private RelevantFiles() {}

  /**
   * @param first a text that names files which come before all others, and may be large (E36)
   * @param hints texts that name files: outputs of checks, the goal, diffs
   */
  static String text(RepairRepository.Sources sources, String first, String hints) {
    List<String> files = sources.files();
    Set<String> listed = files.stream().limit(MAX_LISTED).collect(Collectors.toSet());
    StringBuilder shown = new StringBuilder();
    Map<String, String> missing = new HashMap<>();
    int left = MAX_CHARS;
    int withoutRoom = 0;
    for (Scored each : scored(files, new SearchedText(first), new SearchedText(hints))) {
      if (!each.isNamed() && withoutRoom >= MAX_LISTED && !listed.contains(each.path())) {
        continue; // of tens of thousands, one that is small enough is not worth reading all
      }
      Optional<String> content = sources.text(each.path());
      int most = each.score() >= FIRST ? left : Math.min(left, MAX_FILE_CHARS);
      Optional<String> text = content.flatMap(all -> shown(each, all, hints, most));
      if (text.isPresent()) {
        left -= text.get().length();
        shown.append("\n--- ").append(each.path()).append(" ---\n").append(text.get());
      } else {
        String note = "(" + size(content) + "not shown)";
        missing.put(each.path(), " " + note);
        withoutRoom += content.isPresent() && left < MAX_FILE_CHARS ? 1 : 0;
        if (each.isNamed() && left > 0) {
          left -= note.length();
          shown.append("\n--- ").append(each.path()).append(" ---\n").append(note).append('\n');
        }
      }
    }
    return listed(files, missing) + shown;
  }

  private static String size(Optional<String> content) {
    return content.map(all -> all.length() + " characters, ").orElse("");
  }

  private static String listed(List<String> files, Map<String, String> notShown) {
    StringBuilder text = new StringBuilder("Files of the repository");
    text.append(files.size() > MAX_LISTED ? " (the first " + MAX_LISTED + "):\n" : ":\n");
    files.stream()
        .limit(MAX_LISTED)
        .forEach(file -> text.append(file).append(notShown.getOrDefault(file, "")).append('\n'));
    return text.toString();
  }

  /**
   * Returns all of a file, or the lines of a large one that the texts name; empty if there is no
   * room for it.
   */
  private static Optional<String> shown(Scored file, String content, String hints, int most) {
    if (content.length() > most) {
      if (!file.isNamedWhole()) {
        return Optional.empty(); // so they name no lines of it
      }
      return NamedLines.shown(file.path(), content, hints, most)
          .map(lines -> "(" + content.length() + " characters, shown in part)\n" + lines);
    }
    String end = content.endsWith("\n") ? "" : "\n(no newline at the end)\n";
    return Optional.of(content + end);
  }

  private static List<Scored> scored(List<String> files, SearchedText first, SearchedText hints) {
    List<Scored> all = new ArrayList<>();
    for (String file : files) {
      int mentioned = mentioned(file, hints);
      int usual = mentioned > 0 ? mentioned : isTest(file) ? 1 : 2;
      boolean named = mentioned(file, first) >= FILE_NAME;
      all.add(new Scored(file, named ? FIRST + usual : usual));
    }
    all.sort(Comparator.comparingInt((Scored each) -> -each.score()).thenComparing(Scored::path));
    return all;
  }

  /** Returns a score for how clearly a text names a file; 0 if it does not. */
  private static int mentioned(String path, SearchedText hints) {
    String name = path.substring(path.lastIndexOf('/') + 1);
    String stem = name.contains(".") ? name.substring(0, name.lastIndexOf('.')) : name;
    if (hints.contains(path)) {
      return FULL_PATH;
    }
    if (hints.contains(name)) {
      return FILE_NAME;
    }
    boolean spokenOf = stem.length() >= SHORTEST_STEM && hints.contains(stem);
    return spokenOf ? STEM : 0;
  }

  private static boolean isTest(String path) {
    return path.toLowerCase(Locale.ROOT).contains("test");
  }
}
