package dev.holdfast.tool.patch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * One file of the corpus: {@code # title}, then sections that begin with {@code === }: {@code file}
 * and {@code after} with a path, {@code answer}, {@code verdict}, {@code says}, {@code absent}. The
 * flags {@code [crlf]}, {@code [no-newline]}, {@code [bom]} and {@code [link]} tell how a section's
 * text is written.
 */
record PatchCase(String name, String title, List<Section> sections) {
  record Section(String kind, String flag, String argument, String text) {}

  static List<PatchCase> all() throws Exception {
    Path directory =
        Path.of(PatchCase.class.getResource("corpus/git-diff.txt").toURI()).getParent();
    List<PatchCase> cases = new ArrayList<>();
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.sorted().toList()) {
        cases.add(read(file));
      }
    }
    return cases;
  }

  private static PatchCase read(Path file) throws IOException {
    String[] blocks = Files.readString(file).split("(?m)^=== ", -1);
    List<Section> sections = new ArrayList<>();
    for (int i = 1; i < blocks.length; i++) {
      int end = blocks[i].indexOf('\n');
      String head = blocks[i].substring(0, end);
      String text = blocks[i].substring(end + 1);
      String kind = head.split(" ", 2)[0];
      String rest = head.substring(kind.length()).strip();
      String flag = rest.startsWith("[") ? rest.substring(1, rest.indexOf(']')) : "";
      String argument = rest.startsWith("[") ? rest.substring(rest.indexOf(']') + 1) : rest;
      sections.add(new Section(kind, flag, argument.strip(), encoded(text, flag)));
    }
    String name = file.getFileName().toString().replace(".txt", "");
    return new PatchCase(name, blocks[0].substring(2).strip(), sections);
  }

  private static String encoded(String text, String flag) {
    return switch (flag) {
      case "crlf" -> text.replace("\n", "\r\n");
      case "no-newline" -> text.substring(0, text.length() - 1);
      case "bom" -> "\uFEFF" + text;
      default -> text;
    };
  }

  Stream<Section> all(String kind) {
    return sections.stream().filter(section -> section.kind().equals(kind));
  }

  String answer() {
    return all("answer").findFirst().orElseThrow().text();
  }

  String verdict() {
    return all("verdict").findFirst().orElseThrow().argument();
  }

  void lay(Path root) throws IOException {
    for (Section file : all("file").toList()) {
      Path path = root.resolve(file.argument());
      Files.createDirectories(path.getParent());
      if (file.flag().equals("link")) {
        Files.createSymbolicLink(path, Path.of(file.text().strip()));
      } else {
        Files.writeString(path, file.text());
      }
    }
  }

  /** All files by path; of links where they lead. */
  static Map<String, String> tree(Path root) throws IOException {
    Map<String, String> tree = new TreeMap<>();
    try (Stream<Path> walk = Files.walk(root)) {
      for (Path path : walk.filter(each -> !each.equals(root)).toList()) {
        String name = root.relativize(path).toString();
        if (Files.isSymbolicLink(path)) {
          tree.put(name, "-> " + Files.readSymbolicLink(path));
        } else if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
          tree.put(name, "directory");
        } else {
          tree.put(name, Files.getPosixFilePermissions(path) + Files.readString(path));
        }
      }
    }
    return tree;
  }

  @Override
  public String toString() {
    return name + ": " + title;
  }
}
