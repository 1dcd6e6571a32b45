package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.config.ConfigException;
import dev.holdfast.config.ConfigLoader;
import dev.holdfast.config.Key;
import dev.holdfast.config.Keys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What pages and files of deploy name, and what there is. */
class NamedInDocsTest {
  private static final Pattern FISH =
      Pattern.compile("-n '__fish_(?:use_subcommand|seen_subcommand_from ([^']*))' (.*?) -d '");

  /** Where code begins a command, not where holdfast is another one's argument. */
  private static final Pattern COMMAND =
      Pattern.compile(
          "(?m)(?:^|\\./|\\$\\(|&& |\\| |<\\(|exec )holdfast ([a-z][a-z-]+)((?: [^\\n#|;&)`]*)?)");

  private static final Pattern CODE = Pattern.compile("(?ms)^```\\w*\\n(.*?)^```|`([^`\\n]+)`");
  private static final Pattern OPTION = Pattern.compile("(?<= )--([a-z][a-z-]*)");
  private static final Pattern VARIABLE = Pattern.compile("\\bHOLDFAST_[A-Z0-9_]*[A-Z0-9]\\b");
  private static final Pattern KEY = Pattern.compile("([a-z]+)\\.[a-z0-9_]+(?:[.-][a-z0-9_]+)*");

  /** A file's name, or what is of a design or a payload and not of the configuration. */
  private static final Pattern NO_KEY =
      Pattern.compile(
          ".*\\.(md|sql|sh|ya?ml|json|java|jar|txt|env|service|jsonl|py|ts|go)"
              + "|limits\\..*|payload\\.prompt");

  /** They name packages, which read as keys do. */
  private static final Pattern OF_THE_CODE =
      Pattern.compile("docs/adr/.*|docs/(architecture|packages)\\.md|CONTRIBUTING\\.md");

  private static final Pattern PROFILE = Pattern.compile(" -P([a-z]+)");
  private static final Pattern PROPERTY = Pattern.compile(" -D([a-zA-Z.]+)(?:=([A-Za-z]+))?");

  /** Which the pom does not name. */
  private static final Set<String> OF_MAVEN =
      Set.of("skipTests", "surefire.failIfNoSpecifiedTests", "https.proxyHost", "https.proxyPort");

  /** What the configuration's page calls any key. */
  private static final String PLACEHOLDER = "HOLDFAST_A_B_C";

  /** For who writes the pages; help does not show it. */
  private static final String HIDDEN = "markdown";

  private final Cli cli = Cli.withoutDatabase();

  private static Map<Path, String> files() throws IOException {
    Map<Path, String> texts = new HashMap<>();
    try (Stream<Path> docs = Files.walk(Path.of("docs"));
        Stream<Path> deploy = Files.walk(Path.of("deploy"))) {
      List<Path> all =
          Stream.concat(
                  Stream.of(Path.of("README.md"), Path.of("CONTRIBUTING.md")),
                  Stream.concat(docs, deploy))
              .filter(Files::isRegularFile)
              .filter(file -> !file.toString().matches(".*\\.(png|svg|json)"))
              .toList();
      for (Path file : all) {
        texts.put(file, Files.readString(file));
      }
    }
    assertThat(texts).hasSizeGreaterThan(50);
    return texts;
  }

  private static Stream<String> code(String page) {
    return CODE.matcher(page)
        .results()
        .map(each -> each.group(1) == null ? each.group(2) : each.group(1));
  }

  /** The options of each command and subcommand, of which completion tells. */
  private Map<String, Set<String>> commands() {
    Map<String, Set<String>> all = new HashMap<>();
    for (String line : cli.run("completion", "fish").out().lines().toList()) {
      Matcher parts = FISH.matcher(line);
      if (!parts.find()) {
        continue;
      }
      String path =
          parts.group(1) == null
              ? ""
              : parts
                  .group(1)
                  .replaceAll("; and not [^;]*", "")
                  .replace("; and __fish_seen_subcommand_from", "");
      Matcher name = Pattern.compile("-a (\\S+)").matcher(parts.group(2));
      if (name.find()) {
        all.putIfAbsent((path + " " + name.group(1)).strip(), new TreeSet<>());
      }
      Matcher option = Pattern.compile("-l (\\S+)").matcher(parts.group(2));
      if (option.find()) {
        all.computeIfAbsent(path, any -> new TreeSet<>()).add(option.group(1));
      }
    }
    return all;
  }

  @Test
  @DisplayName("22.14: every command, subcommand and option that a page names exists")
  void namedCommands() throws IOException {
    Map<String, Set<String>> known = commands();
    assertThat(known).containsKeys("release", "schedule put");
    List<String> wrong = new ArrayList<>();
    int named = 0;
    for (Map.Entry<Path, String> page : files().entrySet()) {
      if (!page.getKey().toString().endsWith(".md")) {
        continue;
      }
      for (String code : code(page.getValue()).toList()) {
        for (MatchResult each : COMMAND.matcher(code).results().toList()) {
          named++;
          problem(known, each.group(1), each.group(2))
              .ifPresent(
                  why -> wrong.add(page.getKey() + ": " + each.group().strip() + ": " + why));
        }
      }
    }
    assertThat(wrong).isEmpty();
    assertThat(named).isGreaterThan(120);
  }

  private static Optional<String> problem(
      Map<String, Set<String>> known, String command, String rest) {
    if (!known.containsKey(command)) {
      return Optional.of("no such command");
    }
    Set<String> options = new TreeSet<>(known.getOrDefault(command, Set.of()));
    String second = rest.strip().split("\\s+", 2)[0];
    boolean hasSubcommands =
        known.keySet().stream().anyMatch(each -> each.startsWith(command + " "));
    if (hasSubcommands && second.matches("[a-z][a-z-]*")) {
      if (!known.containsKey(command + " " + second)) {
        return Optional.of("no such subcommand");
      }
      options.addAll(known.getOrDefault(command + " " + second, Set.of()));
    }
    return OPTION
        .matcher(rest.replaceAll("'[^']*'", "''"))
        .results()
        .map(each -> each.group(1))
        .filter(option -> !options.contains(option) && !option.equals(HIDDEN))
        .map(option -> "no such option --" + option)
        .findFirst();
  }

  @Test
  @DisplayName("22.14: every variable that a page or a file of deploy names is one of ours")
  void namedVariables() throws IOException {
    Map<String, String> wrong = new HashMap<>();
    Set<String> named = new TreeSet<>();
    files()
        .forEach(
            (file, text) ->
                VARIABLE
                    .matcher(text)
                    .results()
                    .map(MatchResult::group)
                    .forEach(
                        variable -> {
                          named.add(variable);
                          String problem = problem(variable);
                          if (problem.contains("unknown variable")
                              && !variable.equals(PLACEHOLDER)) {
                            wrong.put(variable + " in " + file, problem);
                          }
                        }));
    assertThat(wrong).isEmpty();
    assertThat(named).hasSizeGreaterThan(30);
  }

  private static String problem(String variable) {
    try {
      new ConfigLoader(Path.of("/nowhere"), Map.of(variable, "x")).load(null, Map.of());
      return "";
    } catch (ConfigException e) {
      return String.valueOf(e.getMessage());
    }
  }

  @Test
  @DisplayName("22.14: every profile, test and property that a page gives to Maven exists")
  void namedToMaven() throws IOException {
    String pom = Files.readString(Path.of("pom.xml"));
    Set<String> tests = new TreeSet<>();
    StringBuilder known = new StringBuilder(pom);
    try (Stream<Path> sources = Files.walk(Path.of("src"))) {
      for (Path source : sources.filter(each -> each.toString().endsWith(".java")).toList()) {
        tests.add(source.getFileName().toString().replace(".java", ""));
        known.append(Files.readString(source));
      }
    }
    List<String> wrong = new ArrayList<>();
    int named = 0;
    for (Map.Entry<Path, String> page : files().entrySet()) {
      if (!page.getKey().toString().endsWith(".md")) {
        continue;
      }
      for (String line : page.getValue().lines().filter(each -> each.contains("mvn ")).toList()) {
        named++;
        PROFILE
            .matcher(line)
            .results()
            .map(each -> each.group(1))
            .filter(each -> !pom.contains("<id>" + each + "</id>"))
            .forEach(each -> wrong.add(page.getKey() + ": no profile " + each));
        PROPERTY
            .matcher(line)
            .results()
            .filter(
                each ->
                    each.group(1).equals("test")
                        ? !tests.contains(each.group(2))
                        : !OF_MAVEN.contains(each.group(1))
                            && known.indexOf("\"" + each.group(1) + "\"") < 0
                            && !pom.contains(each.group(1)))
            .forEach(each -> wrong.add(page.getKey() + ": " + each.group()));
      }
    }
    assertThat(wrong).isEmpty();
    assertThat(named).isGreaterThan(15);
  }

  @Test
  @DisplayName("22.14: every key that a page names exists, or is the beginning of one")
  void namedKeys() throws IOException {
    Set<String> keys = Keys.ALL.stream().map(Key::name).collect(Collectors.toSet());
    Set<String> sections =
        keys.stream().map(key -> key.replaceFirst("\\..*", "")).collect(Collectors.toSet());
    List<String> wrong = new ArrayList<>();
    int named = 0;
    for (Map.Entry<Path, String> page : files().entrySet()) {
      String file = page.getKey().toString();
      if (!file.endsWith(".md") || OF_THE_CODE.matcher(file).matches()) {
        continue;
      }
      for (String code : code(page.getValue()).toList()) {
        Matcher key = KEY.matcher(code.replaceFirst(": .*", ""));
        if (key.matches() && sections.contains(key.group(1)) && !NO_KEY.matcher(code).matches()) {
          named++;
          if (!exists(keys, key.group())) {
            wrong.add(page.getKey() + ": " + key.group());
          }
        }
      }
    }
    assertThat(wrong).isEmpty();
    assertThat(named).isGreaterThan(100);
  }

  private static boolean exists(Set<String> keys, String named) {
    String any =
        named
            .replaceFirst("^providers\\.[a-z0-9_-]+\\.", "providers.<name>.")
            .replaceFirst("-file$", "");
    return keys.stream()
        .anyMatch(
            key ->
                key.equals(any)
                    || key.equals(named)
                    || key.startsWith(any + ".")
                    || key.replaceFirst("<\\w+>", "x").equals(any.replaceFirst("<\\w+>", "x")));
  }
}
