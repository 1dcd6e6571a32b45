package dev.holdfast.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.cli.Cli;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/**
 * Types commands of docker at an engine that is not there: docker and compose read them, and then
 * miss nothing but the engine. What they name is looked for in our files.
 */
final class Engine {
  private static final Pattern BUILD_ARGUMENT = Pattern.compile("--build-arg (\\w+)=");
  private static final Pattern OPTION = Pattern.compile(" (?:-f|--file) (\\S+)");
  private static final Pattern TARGET = Pattern.compile("--target (\\S+)");
  private static final Pattern SCALED = Pattern.compile("--scale (\\w+)=\\d+");
  private static final Pattern ASKED =
      Pattern.compile("docker compose (?:run(?: -\\S+)*|ps -q) (\\w+)");

  /** Neither docker's own nor that of compose is asked for an engine, wherever it may be. */
  private static final String PRELUDE =
      """
      export DOCKER_HOST=unix:///nonexistent/docker.sock DOCKER_BUILDKIT=0
      docker() {
        if [ "$1" != compose ] || command docker compose version > /dev/null 2>&1; then
          command docker "$@"
        else
          shift && docker-compose "$@"
        fi
      }
      """;

  private Engine() {}

  static void build(String command) throws IOException, InterruptedException {
    Matcher file = OPTION.matcher(command);
    assertThat(file.find()).isTrue();
    String dockerfile = Files.readString(Path.of(file.group(1)));
    assertThat(BUILD_ARGUMENT.matcher(command).results().map(each -> each.group(1)))
        .allSatisfy(each -> assertThat(dockerfile).containsPattern("(?m)^ARG " + each + "="));
    assertThat(TARGET.matcher(command).results().map(each -> each.group(1)))
        .allSatisfy(
            each -> assertThat(dockerfile).containsPattern("(?m)^FROM .* AS " + each + "$"));
    assertThat(image()).isEqualTo(only("-t (\\S+)", command));
    type(command);
  }

  static void run(String command, Cli cli) throws IOException, InterruptedException {
    String last = command.substring(command.indexOf(image()) + image().length()).strip();
    assertThat(command).contains(" " + image());
    assertThat(last.isEmpty() || cli.run("help", last).code() == 0).isTrue();
    type(command);
  }

  /**
   * @param program what is started within the container
   */
  static void exec(String command, String program, Cli cli)
      throws IOException, InterruptedException {
    List<String> words = List.of(program.split(" "));
    String entry = only("(?m)^ENTRYPOINT (.*)$", Files.readString(Path.of("deploy/Dockerfile")));
    assertThat(words.subList(0, words.size() - 1))
        .allSatisfy(each -> assertThat(entry).contains("\"" + each + "\""));
    assertThat(cli.run("help", words.getLast()).code()).isZero();
    type(command);
  }

  static void compose(String command) throws IOException, InterruptedException {
    JsonNode services = Yaml.documents(Path.of("docker-compose.yml")).getFirst().path("services");
    assertThat(
            List.of(SCALED, ASKED).stream()
                .flatMap(each -> each.matcher(command).results())
                .map((MatchResult each) -> each.group(1)))
        .allMatch(services::has);
    type(command);
  }

  /** What compose calls the image where nothing else is said. */
  private static String image() throws IOException {
    return only("\\{WORKER_IMAGE:-([^}]*)}", Files.readString(Path.of("docker-compose.yml")));
  }

  private static String only(String regex, String text) {
    Matcher matcher = Pattern.compile(regex).matcher(text);
    assertThat(matcher.find()).as(regex).isTrue();
    return matcher.group(1);
  }

  static void type(String command) throws IOException, InterruptedException {
    boolean compose = command.startsWith("docker compose");
    if (!Checker.isInstalled("docker") || (compose && !hasCompose())) {
      return;
    }
    Checker.Verdict verdict = Checker.run("bash", "-c", PRELUDE + command);
    assertThat(verdict.good()).as("there is an engine").isFalse();
    assertThat(verdict.text().toLowerCase(Locale.ROOT))
        .containsPattern("docker daemon|docker\\.sock|fetching server api version")
        .doesNotContain("unknown", "usage:", "no such service", "no such command");
  }

  private static boolean hasCompose() throws IOException, InterruptedException {
    return Checker.isInstalled("docker-compose")
        || Checker.run("docker", "compose", "version").good();
  }
}
