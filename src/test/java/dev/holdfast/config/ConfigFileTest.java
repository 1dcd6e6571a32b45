package dev.holdfast.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What YAML can say in a file, where the file is, and which variables count. */
class ConfigFileTest {
  @TempDir Path directory;

  private Settings load(String yaml) throws IOException {
    Files.writeString(directory.resolve("holdfast.yaml"), yaml);
    return load(Map.of());
  }

  private Settings load(Map<String, String> environment) {
    return new ConfigLoader(directory, environment).load(null, Map.of());
  }

  private void assertRefused(String yaml, String... words) {
    assertThatThrownBy(() -> load(yaml))
        .isInstanceOf(ConfigException.class)
        .message()
        .contains(words)
        .doesNotContain("\n", "hunter2")
        .hasSizeLessThan(600);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "worker.pollers: 2",
        "\ufeffworker.pollers: 2\n",
        "%YAML 1.2\n---\nworker.pollers: 2\n...\n",
        "worker:\r\n  pollers: 2\r\n",
        "{\"worker\": {\"pollers\": 2}}",
        "'worker.pollers': '2'",
        "worker: {pollers: !!int 2}",
        "? worker.pollers\n: 2",
        "worker: &all {pollers: &two 2}",
        "worker:\n"
            + "  pollers: 2 # not 3\n"
            + "retry:\n"
            + "classifier: null\n"
            + "providers: {}\n"
            + "providers.openai:\n",
      })
  @DisplayName("every way to write a value in YAML or JSON, a mark of Windows before it")
  void ways(String yaml) throws IOException {
    assertThat(load(yaml)).isEqualTo(load("worker.pollers: 2"));
    assertThat(load(yaml).worker().pollers()).isEqualTo(2);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'database.user: &u ann\nmail.user: *u'|'alias at line 2'",
        "'worker:\n  lease: &l 40s\n  drain-timeout: *l'|'alias at line 3'",
        "'worker: &w {pollers: 3}\n<<: *w'|'alias at line 2'",
        "'worker.queues: [&q a, *q]'|'alias at line 1'",
      })
  @DisplayName("an alias is refused: the reader would take its name for the value")
  void aliases(String yaml, String words) {
    assertRefused(yaml, "holdfast.yaml: has a YAML " + words, "write the value itself there");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'worker.pollers: 2\n---\nworker.pollers: 3'|3",
        "'---\nworker:\n  pollers: 2\n---\n\nweb:\n  port: 1'|6",
        "'worker.pollers: 2\n--- text'|2",
      })
  @DisplayName("a second document is refused in words")
  void secondDocument(String yaml, String line) throws IOException {
    assertRefused(
        yaml, "holdfast.yaml: has a second YAML document at line " + line, "write one alone");
  }

  @Test
  @DisplayName("a file that is larger than any configuration is refused at once")
  void large() throws IOException {
    assertRefused("a".repeat((1 << 20) + 1), "it has more than 1048576 bytes", "--config");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'worker.pollers: 2\nworker.pollers: 3'|uplicate",
        "'worker:\n  pollers: 2\nworker:\n  lease: 5s'|uplicate",
        "'worker.pollers: 2\nworker: {pollers: 3}'|worker.pollers in holdfast.yaml: is given twice",
        "'worker: {poll-interval: 1s, poll_interval: 2s}'|worker.poll-interval in holdfast.yaml: is"
            + " given twice",
        "'providers: {a-b: {api-key: hunter2}, a_b: {api-key: hunter2}}'|providers.a-b.api-key in"
            + " holdfast.yaml: is given twice",
        "'retry.categories: {api_error: {backoff: none}, api-error: {backoff: none}}'"
            + "|retry.categories.api_error.backoff in holdfast.yaml: is given twice",
      })
  @DisplayName("a key that is given twice, in whichever of its forms, is a contradiction")
  void twice(String yaml, String words) {
    assertRefused(yaml, words);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "retention.dne: 1d|retention.done",
        "retention: {done-tickets: 1d}|retention.done",
        "budget.per-day: 5|budgets.per-day",
        "web.auth.oidc_isuer: x|web.auth.oidc-issuer",
        "cooldown: {scop: model}|cooldown.scope",
        "session.retry.max_retry: 1|session.retry.max-retries",
        "repair.l3.best-of: 1|repair.l3.best-of-n",
        "providers: {openai: {base_ulr: x}}|providers.<name>.base-url",
        "providers: {a-very-long-name-of-a-gateway: {typ: }}|providers.<name>.type",
        "providers: {openai: {api-key: {value: x}, prices: [], scrip: {}}}|providers.<name>.script",
        "per-day: 5|budgets.per-day",
        "workers: {concurrency: 5}|worker.concurrency",
        "retry: {category: {transient: {max-retries: 1}}}|retry.categories.transient.max-retries",
        "WORKER.LEASE: 5s|",
        "wórker.lease: 5s|worker.lease",
        "работник.lease: 5s|",
        "worker.: 5s|",
        "\"\": 5s|",
        "1: 5s|",
        "~: 5s|",
      })
  @DisplayName("an unknown key stops the start with the nearest known one")
  void unknown(String yaml, String nearest) {
    assertRefused(
        yaml,
        "unknown key ",
        " in holdfast.yaml; the nearest known one is " + (nearest == null ? "" : nearest + ";"),
        "; all: holdfast help config");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "providers: {OpenAI: {api-key: hunter2}}",
        "providers: {my provider: {api-key: hunter2}}",
        "providers: {<name>: {api-key: hunter2}}",
        "providers: {-a: {api-key: hunter2}}",
        "providers: {é: {api-key: hunter2}}",
        "providers.: {api-key: hunter2}",
      })
  @DisplayName("what cannot be a provider's name is told so: no known key is near it")
  void providersName(String yaml) {
    assertRefused(yaml, "unknown key providers.", "lower-case letters, digits and hyphens");
  }

  @Test
  @DisplayName("a name from a file stays on the message's one line, and does not fill it")
  void longNames() {
    assertRefused("\"a\\nb\\e[31mc\\x85d\\u2028e\": 5", "unknown key a b [31mc d e in");
    assertRefused(
        "? " + "x".repeat(10_000) + "\n: 5", "unknown key xxx", "xxx... in holdfast.yaml");
    assertRefused(
        "database.url: \"jdbc:\\nhunter2\"", "database.url: *** (from holdfast.yaml)", "allowed");
    assertRefused("web.host: \"a\\n\\tb\\0\"", "web.host: \"a  b \" (from holdfast.yaml) has the");
    assertRefused("web.host: " + "é".repeat(500), "web.host: \"" + "é".repeat(200) + "...\"");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "worker.lease: [5s]|worker.lease: \"[5s]\" (from holdfast.yaml) is a list or map",
        "worker.queues: 1e3|worker.queues: \"1000.0\" (from holdfast.yaml) must be text; put it in",
        "worker.queues: {a: b}|worker.queues: \"{a=b}\" (from holdfast.yaml) is a list or map",
        "database.password: 123|database.password: *** (from holdfast.yaml) must be text",
        "database.password: true|database.password: *** (from holdfast.yaml) must be text",
        "web.tokens: [[hunter2]]|web.tokens: *** (from holdfast.yaml) is a list or map",
        "providers.a.api-keys: [hunter2, 5]|providers.a.api-keys: *** (from holdfast.yaml) must be",
        "worker.concurrency: 1:30|worker.concurrency: \"1:30\"",
        "handlers.command.allow-inline: yes|\"yes\" (from holdfast.yaml) is neither; allowed: true",
        "classifier.rules: {id: a}|classifier.rules: \"{id=a}\" (from holdfast.yaml) is not a list",
        "classifier: []|classifier in holdfast.yaml: is a list; expected keys below it, as"
            + " classifier.rules",
        "retry.categories: 5|retry.categories in holdfast.yaml: is one value; expected keys below"
            + " it, as retry.categories.",
        "provider: 5|provider in holdfast.yaml: is one value; expected keys below it, as"
            + " provider.retry.max-retries",
        "database.password: hunter2: x|not valid YAML at line 1, column 27: mapping values are not",
        "providers.a: 5|providers.a in holdfast.yaml: is one value; expected keys below it, as"
            + " providers.<name>.type",
        "worker: {lease: ~}|worker.lease in holdfast.yaml: has no value; write one or remove",
      })
  @DisplayName("a value of the wrong kind: the line names key, file and what is expected")
  void kinds(String yaml, String words) {
    assertRefused(yaml, words);
  }

  @Test
  @DisplayName("lists and maps of any depth are refused, not unfolded")
  void depth() {
    for (String open : List.of("[", "{a: ", "- ")) {
      assertRefused(open.repeat(600), "holdfast.yaml: is not valid YAML", "nesting depth");
    }
  }

  @Test
  @DisplayName("a link to a file that is gone is no file that is missing: the start stops")
  void danglingLink() throws IOException {
    Files.createSymbolicLink(directory.resolve("holdfast.yaml"), Path.of("gone"));
    assertThatThrownBy(() -> load(Map.of()))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("cannot read the configuration file " + directory)
        .hasMessageContaining("there is no such file; check --config and HOLDFAST_CONFIG");
    Files.writeString(directory.resolve("gone"), "worker.pollers: 2");
    assertThat(load(Map.of()).worker().pollers()).isEqualTo(2);
  }

  @ParameterizedTest
  @CsvSource({
    "missing.yaml, there is no such file",
    "/, it is a directory",
    ".., it is a directory",
    "missing/x, there is no such file",
  })
  @DisplayName("a file that is named but cannot be read: the line says why and who named it")
  void unreadable(String name, String why) {
    assertThatThrownBy(() -> load(Map.of("HOLDFAST_CONFIG", name)))
        .isInstanceOf(ConfigException.class)
        .hasMessageStartingWith("cannot read the configuration file ")
        .hasMessageEndingWith(": " + why + "; check --config and HOLDFAST_CONFIG");
  }

  @Test
  @DisplayName("a named file is read in the place of the usual one; a blank name is none")
  void named() throws IOException {
    Files.writeString(directory.resolve("other"), "worker.queues: [a]");
    Settings usual = load("worker.pollers: 2");
    assertThat(load(Map.of("HOLDFAST_CONFIG", " "))).isEqualTo(usual);
    Settings other = load(Map.of("HOLDFAST_CONFIG", directory.resolve("other").toString()));
    assertThat(other.worker().queues()).containsExactly("a");
    assertThat(other.worker().pollers()).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource({
    "HOLDFAST_WORKER_LEESE, HOLDFAST_WORKER_LEASE",
    "HOLDFAST_WORKER_LEASE_, HOLDFAST_WORKER_LEASE",
    "HOLDFAST_DATABASE_PASWORD_FILE, HOLDFAST_DATABASE_PASSWORD",
    "HOLDFAST_PROVIDERS_GROQ_API_KEE, HOLDFAST_PROVIDERS_<NAME>_API_KEY",
    "HOLDFAST_PROVIDERS_GROQ_BASEURL, HOLDFAST_PROVIDERS_<NAME>_BASE_URL",
    "HOLDFAST_PROVIDERS_API_KEY, HOLDFAST_PROVIDERS_<NAME>_API_KEY",
    "HOLDFAST_PROVIDERS__API_KEY, HOLDFAST_PROVIDERS_<NAME>_API_KEY",
    "HOLDFAST_PROVIDERS_Ä_API_KEY, HOLDFAST_PROVIDERS_<NAME>_API_KEY",
    "HOLDFAST_PROVIDERS_GROQ_TYPE_FILE, HOLDFAST_PROVIDERS_<NAME>_TYPE",
    "HOLDFAST_WORKER_LEASE_FILE, HOLDFAST_WORKER_LEASE",
    "HOLDFAST_CONFIG_FILE, HOLDFAST_MAIL_FROM",
    "HOLDFAST_SERVICE_PORTS, HOLDFAST_WEB_PORT",
  })
  @DisplayName("an unknown variable stops the start with the nearest known one, never its value")
  void unknownVariables(String name, String nearest) {
    assertThatThrownBy(() -> load(Map.of(name, "hunter2")))
        .isInstanceOf(ConfigException.class)
        .hasMessage(
            "unknown variable "
                + name
                + " in the environment; the nearest known one is "
                + nearest
                + "; all: holdfast help config");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "HOLDFAST_CONFIG", "HOLDFAST_LOG_LEVEL", "HOLDFAST_JAVA_OPTS", "HOLDFAST_TICKET_ID",
        "HOLDFAST_ATTEMPT", "HOLDFAST_LEASE_NO", "HOLDFAST_GUIDANCE", "HOLDFAST_ANSWER",
        "HOLDFAST_RUN_ID", "HOLDFAST_PORT", "HOLDFAST_PORT_8080_TCP", "HOLDFAST_SERVICE_HOST",
        "HOLDFAST_WORKER_LEESE", "holdfast_worker_leese", "MY_HOLDFAST_WORKER_LEASE", "WORKER_LEASE"
      })
  @DisplayName("an empty variable counts as none, and other programs' variables are theirs")
  void othersVariables(String name) {
    boolean ours = List.of("CONFIG", "LOG_LEVEL", "WORKER_LEESE").contains(name.substring(9));
    assertThat(load(Map.of(name, ours ? " " : "hunter2"))).isEqualTo(Settings.defaults());
  }

  @Test
  @DisplayName("a variable names a provider in its middle, whatever stands in the provider's name")
  void providersVariables() {
    Settings settings =
        load(
            Map.of(
                "HOLDFAST_PROVIDERS_MY_API_API_KEY", "a",
                "HOLDFAST_PROVIDERS_MY_API_KEYS", "b,c",
                "HOLDFAST_PROVIDERS_A_BASE_URL", "http://a",
                "HOLDFAST_PROVIDERS_9_TYPE", "anthropic",
                "HOLDFAST_PROVIDERS_9_API_KEY", "d"));
    assertThat(settings.agents().providers())
        .extracting(each -> each.settings().name() + " " + each.type().wireName())
        .containsExactly("9 anthropic", "a openai", "my openai", "my-api openai");
    assertThat(settings.agents().providers().get(2).settings().keys()).containsExactly("b", "c");
    assertThat(settings.agents().providers().get(3).settings().keys()).containsExactly("a");
  }

  @Test
  @DisplayName("who waits for a configuration is told of one that can be used, before its user")
  void whenLoaded() throws IOException {
    List<Settings> told = new ArrayList<>();
    Files.writeString(directory.resolve("bad"), "worker.pollers: 0");
    ConfigLoader loader = new ConfigLoader(directory, Map.of(), told::add);
    Settings first = loader.load(null, Map.of("worker.pollers", "2"));
    assertThat(told).containsExactly(first);
    assertThatThrownBy(() -> loader.load(Path.of("bad"), Map.of()))
        .isInstanceOf(ConfigException.class);
    assertThat(told).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource({"' ', true", "off, true", "Trace, true", "warning, false", "'info ', false"})
  @DisplayName("a level of the log is one of six words, or empty")
  void logLevels(String level, boolean taken) {
    Map<String, String> environment = Map.of("HOLDFAST_LOG_LEVEL", level);
    if (taken) {
      assertThat(load(environment)).isEqualTo(Settings.defaults());
    } else {
      assertThatThrownBy(() -> load(environment))
          .isInstanceOf(ConfigException.class)
          .hasMessage(
              "HOLDFAST_LOG_LEVEL: \""
                  + level
                  + "\" is no level; allowed: off, error, warn, info, debug, trace");
    }
  }

  @Test
  @DisplayName("the nearest name: one that lacks only its section, then the fewest edits")
  void nearest() {
    List<String> known = List.of("worker.lease", "retry.jitter", "a.lease", "jitter");
    assertThat(NearestName.of("lease", known)).isEqualTo("worker.lease");
    assertThat(NearestName.of("jitter", known)).isEqualTo("retry.jitter");
    assertThat(NearestName.of("jittr", known)).isEqualTo("jitter");
    assertThat(NearestName.of("worker.leese", known)).isEqualTo("worker.lease");
    assertThat(NearestName.of("", known)).isEqualTo("jitter");
    assertThat(
            NearestName.of(
                "worker.heartbeat", List.of("worker.lease", "worker.heartbeat-interval")))
        .isEqualTo("worker.heartbeat-interval");
    assertThat(NearestName.of("A_HEART", List.of("A_HEAT", "A_HEART_BEAT")))
        .isEqualTo("A_HEART_BEAT");
  }
}
