package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CompletionTest {
  private final Cli cli = Cli.withoutDatabase();

  /** What bash offers at the end of the line. */
  private List<String> offered(Path directory, String... words) throws Exception {
    Path script = Files.writeString(directory.resolve("script"), printed("bash"));
    String asked =
        "source '%s'; COMP_WORDS=(%s); COMP_CWORD=%s; _complete_holdfast; printf '%%s\\n' \"${COMPREPLY[@]}\""
            .formatted(script, String.join(" ", words), words.length - 1);
    Process bash =
        new ProcessBuilder("bash", "--norc", "-c", asked)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    return new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
        .lines()
        .map(String::strip)
        .toList();
  }

  private String printed(String shell) {
    Cli.Result result = cli.run("completion", shell);
    assertThat(result.code()).isZero();
    assertThat(result.err()).isEmpty();
    return result.out();
  }

  @Test
  @DisplayName("22.10: a real bash completes commands, subcommands and options")
  void bash(@TempDir Path directory) throws Exception {
    assertThat(offered(directory, "holdfast", "lis")).containsExactly("list");
    assertThat(offered(directory, "holdfast", "schedule", "pa")).containsExactly("pause");
    assertThat(offered(directory, "holdfast", "list", "--st")).containsExactly("--state");
    assertThat(offered(directory, "holdfast", "re"))
        .containsExactlyInAnyOrder("release", "reject", "replay", "resume");
  }

  @Test
  @DisplayName("22.10: zsh takes bash's script; fish is told of every command with its options")
  void others() throws IOException {
    assertThat(printed("zsh")).isEqualTo(printed("bash")).contains("bashcompinit");
    List<String> fish = printed("fish").lines().toList();
    assertThat(fish)
        .allMatch(line -> line.startsWith("complete -c holdfast "))
        .anyMatch(line -> line.contains(" -a worker "))
        .anyMatch(line -> line.contains("from schedule; and not "))
        .anyMatch(line -> line.contains("from list; and not ") && line.contains(" -l state -r "))
        .noneMatch(line -> line.chars().filter(c -> c == '\'').count() % 2 == 1);
  }

  @Test
  @DisplayName(
      "22.10: fish offers a command's own options, not those of its namesake or of another place")
  void fishKnowsItsPlace() {
    assertThat(offeredByFish("list")).contains("state", "ready").doesNotContain("reason");
    assertThat(offeredByFish("batch", "list")).contains("limit").doesNotContain("state", "ready");
    assertThat(offeredByFish("design", "show")).contains("json").doesNotContain("tree", "put");
    assertThat(offeredByFish("release")).contains("guidance", "undo");
    assertThat(offeredByFish("release", "list")).doesNotContain("guidance", "undo");
    assertThat(offeredByFish()).contains("config", "worker").doesNotContain("state");
  }

  /** The long options and the commands that fish offers behind some words. */
  private List<String> offeredByFish(String... words) {
    return printed("fish")
        .lines()
        .map(Pattern.compile(".* -n '([^']*)' .*?(?:-l|-a) (\\S+).*")::matcher)
        .filter(Matcher::matches)
        .filter(
            line ->
                Stream.of(line.group(1).split("; and "))
                    .allMatch(each -> holds(each, List.of(words))))
        .map(line -> line.group(2))
        .toList();
  }

  private static boolean holds(String condition, List<String> words) {
    if (condition.startsWith("not ")) {
      return !holds(condition.substring("not ".length()), words);
    }
    List<String> parts = List.of(condition.split(" "));
    return parts.getFirst().equals("__fish_use_subcommand")
        ? words.isEmpty()
        : parts.stream().skip(1).anyMatch(words::contains);
  }

  @Test
  @DisplayName("22.10: another shell is refused in one line, with those that there are")
  void garbage() {
    for (String shell : List.of("csh", "", "\u001b[2J")) {
      Cli.Result wrong = cli.run("completion", shell);
      assertThat(wrong.code()).as(shell).isEqualTo(2);
      assertThat(wrong.err())
          .contains("bash, zsh and fish")
          .doesNotContain("\u001b")
          .hasLineCount(1);
    }
  }
}
