package dev.holdfast.web.console.view;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A unified diff by file, for reading. It never fails: lines that belong to no file stand under a
 * file without a name.
 */
public record Diff(List<File> files) {
  private static final int MOST_LINES = 5_000;

  public Diff {
    files = List.copyOf(files);
  }

  /** The change of a line. */
  public enum Kind {
    ADDED("add"),
    REMOVED("del"),
    PLACE("hunk"),
    SAME("same");

    private final String css;

    Kind(String css) {
      this.css = css;
    }

    /** Returns the class of the line in the page. */
    public String css() {
      return css;
    }
  }

  /**
   * A line with its sign.
   *
   * @param from where the part begins that differs from the line in its place
   * @param to where that part ends; the same as {@code from} where nothing is marked
   */
  public record Line(Kind kind, String text, int from, int to) {
    Line(Kind kind, String text) {
      this(kind, text, 0, 0);
    }

    Line marking(int start, int end) {
      return new Line(kind, text, start, end);
    }

    public String before() {
      return text.substring(0, from);
    }

    public String changed() {
      return text.substring(from, to);
    }

    public String after() {
      return text.substring(to);
    }
  }

  /** The lines of one file. */
  public record File(String name, List<Line> lines) {
    public File {
      lines = List.copyOf(ChangedParts.marked(lines));
    }

    public long added() {
      return lines.stream().filter(line -> line.kind() == Kind.ADDED).count();
    }

    public long removed() {
      return lines.stream().filter(line -> line.kind() == Kind.REMOVED).count();
    }
  }

  /** Returns true if a text looks like a unified diff. */
  static boolean looksLike(String text) {
    return text.startsWith("diff --git ")
        || (text.contains("\n@@ ") && (text.startsWith("--- ") || text.contains("\n--- ")));
  }

  public static Diff of(String text) {
    Reader reader = new Reader();
    text.lines().limit(MOST_LINES).forEach(reader::line);
    if (text.lines().skip(MOST_LINES).findAny().isPresent()) {
      reader.add(Kind.PLACE, "… the rest is left out; the ticket's result has all of it");
    }
    return new Diff(reader.files());
  }

  private static final class Reader {
    private final List<File> files = new ArrayList<>();
    private List<Line> lines = new ArrayList<>();
    private @Nullable String name;
    private boolean inHunk;

    void line(String line) {
      if (line.startsWith("diff ")) {
        finish();
        name = afterPrefix(line.substring(line.lastIndexOf(' ') + 1));
      } else if (!inHunk && line.startsWith("--- ")) {
        oldName(line.substring(4));
      } else if (!inHunk && line.startsWith("+++ ")) {
        newName(line.substring(4));
      } else if (line.startsWith("@@")) {
        inHunk = true;
        add(Kind.PLACE, line);
      } else if (inHunk && line.startsWith("--- ") && !lines.isEmpty()) {
        // This is a diff without "diff" lines: the next file begins,
        // or a line that starts with "-- " is removed.
        add(Kind.REMOVED, line);
      } else if (inHunk) {
        add(kind(line), line);
      }
    }

    private static Kind kind(String line) {
      return line.startsWith("+") ? Kind.ADDED : line.startsWith("-") ? Kind.REMOVED : Kind.SAME;
    }

    private void oldName(String old) {
      if (!lines.isEmpty()) {
        finish();
      }
      if (name == null && !old.startsWith("/dev/null")) {
        name = afterPrefix(old);
      }
    }

    private void newName(String newer) {
      if (!newer.startsWith("/dev/null")) {
        name = afterPrefix(newer);
      }
    }

    /** Returns the path without git's a/ or b/, and without diff's time stamp. */
    private static String afterPrefix(String path) {
      int tab = path.indexOf('\t');
      String plain = tab < 0 ? path : path.substring(0, tab);
      return plain.startsWith("a/") || plain.startsWith("b/") ? plain.substring(2) : plain;
    }

    void add(Kind kind, String text) {
      lines.add(new Line(kind, text));
    }

    private void finish() {
      if (name != null || !lines.isEmpty()) {
        files.add(new File(name == null ? "" : name, lines));
      }
      lines = new ArrayList<>();
      name = null;
      inHunk = false;
    }

    List<File> files() {
      finish();
      return files;
    }
  }
}
