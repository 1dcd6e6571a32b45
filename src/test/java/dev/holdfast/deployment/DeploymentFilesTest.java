package dev.holdfast.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.config.ConfigLoader;
import dev.holdfast.config.Settings;
import dev.holdfast.testing.JavaCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class DeploymentFilesTest {
  @TempDir private Path directory;

  /** What a worker may take after its drain. */
  private static final Duration AFTER_DRAIN = Duration.ofSeconds(5);

  private static final Duration TEN_SECONDS = Duration.ofSeconds(10);
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private static final Pattern VARIABLE_OF_COMPOSE =
      Pattern.compile("\\b(\\w+_(?:IMAGE|TARGET|PORT))\\b");

  private static final Pattern VARIABLE = Pattern.compile("\\$\\{\\w+:-([^}]*)}");

  private static JsonNode service(String name) throws IOException {
    return Yaml.documents(Path.of("docker-compose.yml")).getFirst().at("/services/" + name);
  }

  private static Settings settings(Map<String, String> environment) {
    return new ConfigLoader(Path.of("no-such-directory"), environment).load(null, Map.of());
  }

  private static Map<String, String> texts(JsonNode map) {
    Map<String, String> texts = new TreeMap<>();
    map.properties()
        .forEach(
            each ->
                texts.put(
                    each.getKey(), VARIABLE.matcher(each.getValue().asString()).replaceAll("$1")));
    return texts;
  }

  /** With the files of the host in the place of those that compose mounts. */
  private static Map<String, String> mounted(Map<String, String> environment) throws IOException {
    JsonNode secrets = Yaml.documents(Path.of("docker-compose.yml")).getFirst().path("secrets");
    environment.replaceAll(
        (name, value) -> {
          String file =
              secrets.path(value.replaceFirst("^/run/secrets/", "")).path("file").asString("");
          return file.isEmpty()
              ? value
              : Path.of(VARIABLE.matcher(file).replaceAll("$1")).toAbsolutePath().toString();
        });
    return environment;
  }

  private static Duration seconds(String text) {
    return Duration.ofSeconds(Long.parseLong(text.replaceFirst("s$", "")));
  }

  private static String only(Path file, String regex) throws IOException {
    Matcher matcher = Pattern.compile(regex, Pattern.MULTILINE).matcher(Files.readString(file));
    assertThat(matcher.results().map(MatchResult::group)).as("%s in %s", regex, file).hasSize(1);
    matcher.reset();
    assertThat(matcher.find()).isTrue();
    return matcher.group(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"worker", "console"})
  @DisplayName("compose: a worker accepts its settings, and docker waits longer than its drain")
  void composeWorker(String name) throws IOException {
    JsonNode worker = service(name);
    Settings settings = settings(mounted(texts(worker.path("environment"))));
    assertThat(worker.path("secrets").toString()).contains("database-password", "web-tokens");
    assertThat(settings.web().host()).isEqualTo("0.0.0.0");
    assertThat(settings.database().password()).isNotBlank();
    assertThat(seconds(worker.path("stop_grace_period").asString()))
        .isGreaterThan(settings.worker().drainTimeout().plus(AFTER_DRAIN));
    assertThat(worker.path("init").asBoolean()).isTrue();
    assertThat(worker.at("/ports/0").asString("127.0.0.1:")).startsWith("127.0.0.1:");
  }

  @Test
  @DisplayName("docker, compose: programs may start what they make in /tmp, as go test does")
  void temporaryProgramsStart() throws IOException {
    assertThat(service("worker").path("tmpfs").asString()).isEqualTo("/tmp:exec");
    assertThat(Files.readString(Path.of("docs/deployment.md")))
        .contains("--tmpfs /tmp:exec ")
        .doesNotContain("--tmpfs /tmp ");
  }

  @Test
  @DisplayName("issue 22, 12: compose: workers have nothing that only one can have, so they scale")
  void composeScales() throws IOException {
    for (String each : new String[] {"ports", "container_name", "hostname", "volumes"}) {
      assertThat(service("worker").path(each).isMissingNode()).as(each).isTrue();
    }
  }

  @Test
  @DisplayName(
      "issue 22, 12: monitoring: each file that is mounted exists, secrets are files, ports are"
          + " loopback's, and Prometheus finds the workers by their service's name")
  void monitoring() throws Exception {
    JsonNode file = Yaml.documents(Path.of("deploy/monitoring.compose.yaml")).getFirst();
    for (JsonNode service : file.path("services")) {
      assertThat(service.at("/ports/0").asString()).startsWith("127.0.0.1:");
      assertThat(service.path("environment").toString()).doesNotContain("PASSWORD\"");
      for (JsonNode volume : service.path("volumes")) {
        String source = volume.asString().split(":", -1)[0];
        assertThat(source.startsWith("./") || file.path("volumes").has(source)).isTrue();
        assertThat(Path.of(source.startsWith("./") ? source : ".")).exists();
      }
    }
    String secret = file.at("/secrets/grafana-password/file").asString();
    assertThat(Path.of(VARIABLE.matcher(secret).replaceAll("$1"))).exists();
    Path prometheus = Path.of("deploy/prometheus.yml");
    JsonNode scrape = Yaml.documents(prometheus).getFirst().at("/scrape_configs/0");
    assertThat(scrape.path("job_name").asString()).isEqualTo("holdfast");
    assertThat(service(scrape.at("/dns_sd_configs/0/names/0").asString()).isMissingNode())
        .isFalse();
    assertThat(scrape.at("/dns_sd_configs/0/port").asInt())
        .isEqualTo(settings(Map.of()).web().port());
    JsonNode source = Yaml.documents(Path.of("deploy/grafana/datasource.yaml")).getFirst();
    assertThat(
            JsonMapper.shared()
                .readTree(Path.of("deploy/grafana/holdfast.json").toFile())
                .findValuesAsString("uid"))
        .contains(source.at("/datasources/0/uid").asString());
    if (Promtool.isInstalled()) {
      assertThat(Promtool.config(prometheus)).isEmpty();
    }
  }

  @Test
  @DisplayName("issue 22, 12: the smoke script is one, and what it asks of compose is there")
  void smoke() throws Exception {
    Path script = Path.of("deploy/smoke.sh");
    assertThat(script).isExecutable();
    assertThat(Checker.run("bash", "-n", script.toString()).text()).isEmpty();
    String text = Files.readString(script);
    for (String each : new String[] {"worker", "console", "holdfast", "postgres"}) {
      assertThat(text).contains(each);
      assertThat(service(each).isMissingNode()).as(each).isFalse();
    }
    String compose =
        Files.readString(Path.of("docker-compose.yml"))
            + Files.readString(Path.of("deploy/monitoring.compose.yaml"));
    assertThat(VARIABLE_OF_COMPOSE.matcher(text).results().map(each -> each.group(1)))
        .contains("BUILD_TARGET", "RUNTIME_IMAGE", "POSTGRES_PORT")
        .allMatch(name -> compose.contains("${" + name + ":-"));
  }

  @Test
  @DisplayName("22.12: compose builds the image from what the Dockerfile names itself")
  void composeBuilds() throws IOException {
    String compose = Files.readString(Path.of("docker-compose.yml"));
    String dockerfile = Files.readString(Path.of("deploy/Dockerfile"));
    for (String each : new String[] {"BUILD_IMAGE", "RUNTIME_IMAGE"}) {
      Matcher image = Pattern.compile("(?m)^ARG " + each + "=(.*)$").matcher(dockerfile);
      assertThat(image.find()).as(each).isTrue();
      assertThat(compose).contains("${" + each + ":-" + image.group(1) + "}");
    }
  }

  @Test
  @DisplayName("22.3: the image is built of every directory that Maven takes the program from")
  void imageSources() throws IOException {
    String pom = Files.readString(Path.of("pom.xml"));
    String dockerfile = Files.readString(Path.of("deploy/Dockerfile"));
    String build = dockerfile.substring(dockerfile.indexOf(" AS build\n"));
    Matcher named = Pattern.compile("<(?:directory|source)>((?:src|db)/[^<]+)<").matcher(pom);
    List<String> copied =
        Pattern.compile("(?m)^COPY (\\S+) ")
            .matcher(build)
            .results()
            .map(each -> each.group(1))
            .toList();
    assertThat(named.results().map(each -> each.group(1)))
        .contains("src/main/resources", "src/bench/java", "db/migrations")
        .allMatch(
            each -> copied.contains(each.replaceFirst("(?<=src/\\w{1,9})/.*|/migrations", "")));
  }

  @Test
  @DisplayName("compose: one password for the server and its users, published on loopback only")
  void composeDatabase() throws IOException {
    JsonNode postgres = service("postgres");
    String password = "/environment/HOLDFAST_DATABASE_PASSWORD_FILE";
    assertThat(postgres.at("/environment/POSTGRES_PASSWORD_FILE").asString())
        .isEqualTo("/run/secrets/database-password")
        .isEqualTo(service("migrate").at(password).asString())
        .isEqualTo(service("worker").at(password).asString());
    assertThat(postgres.path("ports").get(0).asString()).startsWith("127.0.0.1:");
  }

  @Test
  @DisplayName(
      "compose: no variable of the file is a setting to a ./holdfast beside it, and no secret is in"
          + " an environment, which process 1 would keep")
  void composeVariables() throws IOException {
    assertThat(Files.readString(Path.of("docker-compose.yml")))
        .contains("${DATABASE_PASSWORD_FILE:-", "${WEB_TOKENS_FILE:-")
        .doesNotContain("${HOLDFAST_", "_PASSWORD:", "_TOKENS:");
  }

  @Test
  @DisplayName("systemd: it waits longer than the drain, and leaves programs to the worker")
  void unit() throws IOException {
    Path unit = Path.of("deploy/holdfast.service");
    assertThat(seconds(only(unit, "^TimeoutStopSec=(\\d+s)$")))
        .isGreaterThan(settings(Map.of()).worker().drainTimeout().plus(AFTER_DRAIN));
    assertThat(only(unit, "^KillMode=(.*)$")).isEqualTo("mixed");
    String credential = only(unit, "^LoadCredential=([^:]*):/etc/holdfast/[a-z.]+$");
    Files.writeString(directory.resolve(credential), "of a credential");
    Settings settings = settings(Map.of("CREDENTIALS_DIRECTORY", directory.toString()));
    assertThat(settings.database().password()).isEqualTo("of a credential");
  }

  @Test
  @DisplayName(
      "systemd: what the package tells to type migrates with the unit's user, settings,"
          + " password and directory, and the docs say the same")
  void migrationByHand() throws IOException {
    Path unit = Path.of("deploy/holdfast.service");
    StringBuilder typed = new StringBuilder("systemd-run --pipe --wait --collect");
    for (String each : List.of("User", "EnvironmentFile", "LoadCredential", "WorkingDirectory")) {
      typed.append(" -p ").append(only(unit, "^(" + each + "=.+)$"));
    }
    typed.append(" holdfast migrate");
    assertThat(only(Path.of("src/deb/control/postinst"), "^ *migrate='(.+)'$"))
        .isEqualTo(typed.toString());
    assertThat(Files.readString(Path.of("docs/deployment.md")).replace(" \\\n ", ""))
        .contains(typed + "\nsystemctl enable --now holdfast\n");
  }

  @Test
  @DisplayName("issue 22, 12: systemd finds nothing wrong with the unit, and its exposure is low")
  void analyzed() throws Exception {
    assumeTrue(SystemdAnalyze.isInstalled(), "systemd-analyze is missing: install systemd");
    Path unit = Path.of("deploy/holdfast.service");
    assertThat(only(unit, "^Type=(.*)$")).isEqualTo("notify");
    assertThat(seconds(only(unit, "^WatchdogSec=(.*)$"))).isBetween(TEN_SECONDS, MINUTE);
    // Any program stands for the installed one; nothing else of the unit depends on the machine.
    Path copy = directory.resolve("holdfast.service");
    String java = JavaCommand.path("java");
    assertThat(only(unit, "^ExecStart=(\\S+) worker$")).isEqualTo("/usr/bin/holdfast");
    Files.writeString(copy, Files.readString(unit).replace("/usr/bin/holdfast", java));
    assertThat(SystemdAnalyze.verify(copy)).isEmpty();
    assertThat(SystemdAnalyze.exposure(copy)).isLessThan(3.5);
    Files.writeString(copy, Files.readString(copy) + "\n[Service]\nWatchdogSecs=1\n");
    assertThat(SystemdAnalyze.verify(copy)).contains("WatchdogSecs");
  }
}
