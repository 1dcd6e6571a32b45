package dev.holdfast.deployment;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A command that a page shows to be typed.
 *
 * @param page a path from the root of the repository
 * @param text with the lines that it goes on in, and those that it is given by {@code <<}
 */
record Shown(String page, String text) {
  private static final Pattern BLOCK = Pattern.compile("(?ms)^```(?:sh|bash|console)\\n(.*?)^```");
  private static final Pattern INDENTED = Pattern.compile("(?m)^ {4,7}\\$ (.*)$");
  private static final Pattern GIVEN = Pattern.compile("<<'?(\\w+)'?");
  private static final Pattern REMARK = Pattern.compile("(?m)(?:^|\\s+)# .*$");

  /** The word that follows is a command, not a part of the one before. */
  private static final Pattern NEXT =
      Pattern.compile("; (?=(?:\\./)?(?:holdfast|curl|systemctl) )");

  /** Of all pages that people read. */
  static List<Shown> all() throws IOException {
    List<Shown> all = new ArrayList<>();
    try (Stream<Path> docs = Files.walk(Path.of("docs"))) {
      List<Path> pages =
          Stream.concat(Stream.of(Path.of("README.md"), Path.of("CONTRIBUTING.md")), docs.sorted())
              .filter(file -> file.toString().endsWith(".md"))
              .toList();
      for (Path page : pages) {
        String text = Files.readString(page);
        Stream.concat(
                BLOCK.matcher(text).results().flatMap(each -> commands(each.group(1)).stream()),
                INDENTED.matcher(text).results().map(each -> each.group(1)))
            .map(each -> new Shown(page.toString(), each))
            .forEach(all::add);
      }
    }
    return all;
  }

  static List<String> commands(String block) {
    if (block.startsWith("#!")) {
      return List.of(block);
    }
    boolean answers = block.lines().anyMatch(line -> line.startsWith("$ "));
    List<String> commands = new ArrayList<>();
    List<String> lines = block.lines().toList();
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i);
      if (answers && !line.startsWith("$ ")) {
        continue;
      }
      StringBuilder command = new StringBuilder(line.replaceFirst("^\\$ ", ""));
      while (goesOn(command) && i + 1 < lines.size()) {
        command.append('\n').append(lines.get(++i));
      }
      Matcher given = GIVEN.matcher(line);
      if (given.find()) {
        do {
          command.append('\n').append(lines.get(++i));
        } while (!lines.get(i).equals(given.group(1)));
        commands.add(command.toString());
      } else {
        String plain = REMARK.matcher(command).replaceAll("").replaceAll("\\\\\\n\\s*", "").strip();
        NEXT.splitAsStream(plain).filter(each -> !each.isEmpty()).forEach(commands::add);
      }
    }
    return commands;
  }

  private static boolean goesOn(StringBuilder command) {
    return command.toString().endsWith("\\") || command.toString().endsWith("|");
  }

  boolean isOurs() {
    return text.matches("(?s)(?:[A-Z_]+=\\S+ )?(?:id=\\$\\()?(?:source <\\()?(?:\\./)?holdfast .*");
  }

  @Override
  public String toString() {
    return page + ": " + text;
  }
}
