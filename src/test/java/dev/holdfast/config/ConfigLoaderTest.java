package dev.holdfast.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConfigLoaderTest {
  @TempDir Path directory;

  private void file(String yaml) throws IOException {
    Files.writeString(directory.resolve("holdfast.yaml"), yaml);
  }

  private Settings load(Map<String, String> environment, Map<String, String> flags) {
    return new ConfigLoader(directory, environment).load(null, flags);
  }

  private @Nullable String refusal(Map<String, String> environment) {
    try {
      load(environment, Map.of());
      return null;
    } catch (ConfigException e) {
      return e.getMessage();
    }
  }

  @Test
  @DisplayName("flag beats environment beats file beats default")
  void precedence() throws IOException {
    assertThat(load(Map.of(), Map.of()).worker().concurrency()).isEqualTo(100);
    file("worker:\n  concurrency: 1\n");
    assertThat(load(Map.of(), Map.of()).worker().concurrency()).isEqualTo(1);
    Map<String, String> environment = Map.of("HOLDFAST_WORKER_CONCURRENCY", "2");
    assertThat(load(environment, Map.of()).worker().concurrency()).isEqualTo(2);
    assertThat(load(environment, Map.of("worker.concurrency", "3")).worker().concurrency())
        .isEqualTo(3);
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        "postgres://ann:pw@h/db, -, -",
        "jdbc:postgresql://h/db?user=ann&password=pw, -, -",
        "postgres://ann@h/db, -, filed",
        "postgres://h/db, file, filed",
      })
  @DisplayName("user and password of the file give way to those in an URL of the environment")
  void credentialsOfUrl(String url, @Nullable String user, @Nullable String password)
      throws IOException {
    file("database: {url: 'postgres://other/db', user: file, password: filed}\n");

    DatabaseSettings database = load(Map.of("HOLDFAST_DATABASE_URL", url), Map.of()).database();

    assertThat(database.user()).isEqualTo(user);
    assertThat(database.password()).isEqualTo(password);
  }

  @Test
  @DisplayName("of one layer, user and password come before those in the URL")
  void ownCredentials() {
    DatabaseSettings database =
        load(
                Map.of(
                    "HOLDFAST_DATABASE_URL", "postgres://ann:pw@h/db",
                    "HOLDFAST_DATABASE_USER", "bob",
                    "HOLDFAST_DATABASE_PASSWORD", "his"),
                Map.of())
            .database();

    assertThat(database.user()).isEqualTo("bob");
    assertThat(database.password()).isEqualTo("his");
  }

  @Test
  @DisplayName("the blanks of a password count, the end of its line does not")
  void blanksOfPassword() throws IOException {
    file("database: {password: ' filed '}\n");
    assertThat(load(Map.of(), Map.of()).database().password()).isEqualTo(" filed ");
    assertThat(
            load(Map.of("HOLDFAST_DATABASE_PASSWORD", " his \r\n"), Map.of()).database().password())
        .isEqualTo(" his ");
  }

  @Test
  @DisplayName("a key with dots, lists, nested maps, hyphens or underscores, empty sections")
  void shapes() throws IOException {
    file(
        """
        worker.pollers: 3
        worker:
          poll_interval: 2s
          queues: [a, "b"]
        retry:
          categories:
            api-error: {max-retries: 7}
            transient:
        classifier:
          rules:
            - {id: vpn, stage: text, category: transient, patterns: ["tunnel down"]}
        """);

    Settings settings = load(Map.of(), Map.of());

    assertThat(settings.worker().pollers()).isEqualTo(3);
    assertThat(settings.worker().pollInterval()).hasSeconds(2);
    assertThat(settings.worker().queues()).isEqualTo(Set.of("a", "b"));
    assertThat(settings.retry().of(dev.holdfast.failure.Category.API_ERROR).maxRetries())
        .isEqualTo(7);
    assertThat(settings.classifierRules()).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "\n\n", "# nothing\n", "---\n", "worker:\n", "{}"})
  @DisplayName("an empty file is an empty configuration")
  void empty(String yaml) throws IOException {
    file(yaml);
    assertThat(load(Map.of(), Map.of())).isEqualTo(Settings.defaults());
  }

  @Test
  @DisplayName("the variables of a Kubernetes Service called holdfast are nobody's mistake")
  void serviceLinks() {
    Map<String, String> links =
        Map.of(
            "HOLDFAST_SERVICE_HOST", "10.0.0.1",
            "HOLDFAST_SERVICE_PORT", "8080",
            "HOLDFAST_SERVICE_PORT_HTTP", "8080",
            "HOLDFAST_PORT", "tcp://10.0.0.1:8080",
            "HOLDFAST_PORT_8080_TCP_ADDR", "10.0.0.1");
    assertThat(load(links, Map.of())).isEqualTo(Settings.defaults());
    assertThat(refusal(Map.of("HOLDFAST_PORTS", "1"))).contains("HOLDFAST_PORTS");
  }

  @Test
  @DisplayName(
      "nor are those of Services whose names begin so, as holdfast-database or holdfast-web")
  void serviceLinksOfNeighbours() {
    Map<String, String> links =
        Map.of(
            "HOLDFAST_DATABASE_SERVICE_HOST", "10.0.0.1",
            "HOLDFAST_DATABASE_SERVICE_PORT", "5432",
            "HOLDFAST_DATABASE_SERVICE_PORT_PGSQL", "5432",
            "HOLDFAST_DATABASE_PORT", "tcp://10.0.0.1:5432",
            "HOLDFAST_DATABASE_PORT_5432_TCP", "tcp://10.0.0.1:5432",
            "HOLDFAST_DATABASE_PORT_5432_TCP_PROTO", "tcp",
            "HOLDFAST_WEB_PORT", "tcp://10.0.0.2:8080");
    assertThat(load(links, Map.of())).isEqualTo(Settings.defaults());
    assertThat(refusal(Map.of("HOLDFAST_DATABASE_PORT", "5432")))
        .contains("HOLDFAST_DATABASE_PORT");
    assertThat(refusal(Map.of("HOLDFAST_WEB_PORT", "http"))).contains("web.port");
  }

  @Test
  @DisplayName("HOLDFAST_CONFIG and --config name the file; --config wins")
  void fileNames() throws IOException {
    file("worker.pollers: 2");
    Files.writeString(directory.resolve("b.yaml"), "worker.pollers: 3");
    Files.writeString(directory.resolve("c.yaml"), "worker.pollers: 4");
    ConfigLoader loader = new ConfigLoader(directory, Map.of("HOLDFAST_CONFIG", "b.yaml"));

    assertThat(loader.load(null, Map.of()).worker().pollers()).isEqualTo(3);
    assertThat(loader.load(Path.of("c.yaml"), Map.of()).worker().pollers()).isEqualTo(4);
    assertThatThrownBy(() -> loader.load(Path.of("missing.yaml"), Map.of()))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("missing.yaml")
        .hasMessageContaining("--config");
  }

  @ParameterizedTest
  @CsvSource({
    "'worker.leese: 5s', worker.leese, worker.lease",
    "'worker:\n  leese: 5s', worker.leese, worker.lease",
    "'concurrency: 5', concurrency, worker.concurrency",
    "'databse:\n  password: hunter2', databse, database.password",
    "'worker:\n  lease:\n    seconds: 5', worker.lease, is a list or map",
    "'worker: 5', worker, worker.concurrency",
    "'worker: [a]', worker, is a list",
    "'worker:\n  lease:', worker.lease, has no value",
    "'worker.lease: 5s\nworker:\n  lease: 6s', worker.lease, twice",
    "'worker:\n  lease: 5s\n  lease: 6s', holdfast.yaml, uplicate",
    "'- a\n- b', holdfast.yaml, is a list",
    "'just words', holdfast.yaml, is one value",
    "'worker:\n\tlease: 5s', holdfast.yaml, line 2",
    "'{{{', holdfast.yaml, not valid YAML",
    "'a: b: c', holdfast.yaml, line 1",
    "'worker.lease: 5s\n---\nworker.lease: 6s', holdfast.yaml, YAML",
    "'database.password: 1e3', database.password, quotes",
  })
  @DisplayName(
      "a file that cannot be understood stops the start with one line that names the place")
  void badFile(String yaml, String named, String hint) throws IOException {
    file(yaml);
    assertThat(refusal(Map.of())).contains(named).contains(hint).doesNotContain("\n", "hunter2");
  }

  @Test
  @DisplayName("a file that is not text")
  void binaryFile() throws IOException {
    Files.write(directory.resolve("holdfast.yaml"), new byte[] {(byte) 0xff, (byte) 0xfe, 0, 1});
    assertThat(refusal(Map.of())).isEqualTo("holdfast.yaml: is not UTF-8 text");
  }

  @Test
  @DisplayName("a file of the other usual ending is not passed over in silence")
  void misnamedFile() throws IOException {
    Files.writeString(directory.resolve("holdfast.yml"), "worker:\n  concurrency: 1\n");
    assertThat(refusal(Map.of()))
        .isEqualTo(
            "holdfast.yml is not read: rename it to holdfast.yaml, or name it with --config");
    Settings named = new ConfigLoader(directory, Map.of()).load(Path.of("holdfast.yml"), Map.of());
    assertThat(named.worker().concurrency()).isEqualTo(1);
    file("worker:\n  concurrency: 2\n");
    assertThat(load(Map.of(), Map.of()).worker().concurrency()).isEqualTo(2);
  }

  @ParameterizedTest
  @CsvSource({
    "HOLDFAST_WORKER_CONCURRENCY, 0, worker.concurrency, 1 to 100000",
    "HOLDFAST_WORKER_CONCURRENCY, many, worker.concurrency, 1 to 100000",
    "HOLDFAST_WORKER_CONCURRENCY, 1.5, worker.concurrency, 1 to 100000",
    "HOLDFAST_WORKER_CONCURRENCY, 99999999999999999999, worker.concurrency, 1 to 100000",
    "HOLDFAST_WORKER_LEASE, soon, worker.lease, 100ms to 1d",
    "HOLDFAST_WORKER_LEASE, -5s, worker.lease, 100ms to 1d",
    "HOLDFAST_WORKER_LEASE, 10, worker.lease, 100ms to 1d",
    "HOLDFAST_WORKER_LEASE, 2d, worker.lease, 100ms to 1d",
    "HOLDFAST_RETRY_JITTER, 1.1, retry.jitter, 0 to 1",
    "HOLDFAST_RETRY_JITTER, NaN, retry.jitter, 0 to 1",
    "HOLDFAST_RETRY_COUNTING, both, retry.counting, 'shared, per_category'",
    "HOLDFAST_RETRY_CATEGORIES_UNKNOWN_BACKOFF, x, retry.categories.unknown.backoff, 'none, linear,"
        + " exponential'",
    "HOLDFAST_HANDLERS_COMMAND_ALLOW_INLINE, yes, handlers.command.allow-inline, true or false",
    "HOLDFAST_DATABASE_URL, mysql://h/d, database.url, jdbc:postgresql://",
    "HOLDFAST_WORKER_QUEUES, 'a,b c', worker.queues, queue names",
    "HOLDFAST_CLASSIFIER_RULES, '[1]', classifier.rules, a list of rules",
    "HOLDFAST_CLASSIFIER_RULES, '{{', classifier.rules, a list of rules",
    "HOLDFAST_WEB_HOST, 'a b', web.host, a host name or address",
  })
  @DisplayName("a bad value of each type: the line names key, value, source and what is allowed")
  void badValues(String variable, String value, String key, String allowed) {
    assertThat(refusal(Map.of(variable, value)))
        .startsWith(key + ": \"" + value + "\" (from " + variable + ") ")
        .endsWith(
            "; allowed: "
                + (allowed.startsWith("jdbc")
                    ? "jdbc:postgresql://HOST:PORT/NAME or postgres://USER:PASSWORD@HOST:PORT/NAME"
                    : allowed))
        .doesNotContain("\n");
  }

  @Test
  @DisplayName("an unknown HOLDFAST_ variable stops the start with the nearest known one")
  void unknownVariable() {
    assertThat(refusal(Map.of("HOLDFAST_WORKER_LEESE", "hunter2")))
        .contains("HOLDFAST_WORKER_LEESE", "HOLDFAST_WORKER_LEASE;")
        .doesNotContain("hunter2");
  }

  @Test
  @DisplayName(
      "the launcher's and a command's own variables, other programs' and empty ones are no"
          + " configuration")
  void otherVariables() {
    Map<String, String> environment =
        Map.of(
            "HOLDFAST_TICKET_ID",
            "5",
            "HOLDFAST_LOG_LEVEL",
            "debug",
            "PATH",
            "/bin",
            "HOLDFAST_WORKER_LEASE",
            " ");
    assertThat(load(environment, Map.of())).isEqualTo(Settings.defaults());
  }

  @Test
  @DisplayName("a log level that is none stops the start")
  void logLevel() {
    assertThat(refusal(Map.of("HOLDFAST_LOG_LEVEL", "INFO"))).isNull();
    assertThat(refusal(Map.of("HOLDFAST_LOG_LEVEL", "loud"))).contains("\"loud\"", "warn, info");
  }

  @ParameterizedTest
  @CsvSource({
    "HOLDFAST_WEB_TOKENS, admin:hunter2hunter2hunter2",
    "HOLDFAST_WEB_TOKENS, hunter2",
    "HOLDFAST_DATABASE_URL, mysql://ann:hunter2@h/d",
    "HOLDFAST_DATABASE_URL, mysql://h/d?password=hunter2",
    "HOLDFAST_DATABASE_URL, ann:hunter2@h/d",
    "HOLDFAST_DATABASE_URL, mysql://ann:hun/hunter2 @h/d",
    "HOLDFAST_DATABASE_URL, hunter2",
  })
  @DisplayName("a secret with a bad form is not printed")
  void secretsInMessages(String variable, String value) {
    assertThat(refusal(Map.of(variable, value)))
        .isNotNull()
        .contains("***")
        .doesNotContain("hunter2");
  }

  @Test
  @ResourceLock(Resources.GLOBAL)
  @DisplayName("keys are found whatever the machine's language: Turkish has two letters i")
  void turkish() {
    Locale before = Locale.getDefault();
    Locale.setDefault(Locale.of("tr", "TR"));
    try {
      Map<String, String> environment = Map.of("HOLDFAST_WORKER_POLL_INTERVAL", "2s");
      assertThat(load(environment, Map.of()).worker().pollInterval()).hasSeconds(2);
      assertThat(load(Map.of("HOLDFAST_RETRY_CATEGORIES_TRANSIENT_BACKOFF", "linear"), Map.of()))
          .isNotNull();
    } finally {
      Locale.setDefault(before);
    }
  }

  @Test
  @DisplayName("the file is read as UTF-8 whatever the machine's encoding")
  void utf8() throws IOException {
    Files.write(
        directory.resolve("holdfast.yaml"), "database.user: Zoë".getBytes(StandardCharsets.UTF_8));
    assertThat(load(Map.of(), Map.of()).database().user()).isEqualTo("Zoë");
  }

  @Test
  @DisplayName("issue 20: every secret may be in a file of its own, named by variable or key")
  void secretFiles() throws IOException {
    Files.writeString(directory.resolve("pw"), "from a file\n");
    Files.writeString(directory.resolve("keys"), "sk-first\nsk-second\n");
    Files.writeString(directory.resolve("url"), "postgres://ann:in-the-url@db/x\n");
    file(
        "database:\n"
            + "  url-file: url\n"
            + "  password_file: pw\n"
            + "providers:\n"
            + "  other:\n"
            + "    api-keys-file: keys\n");
    Settings settings =
        load(
            Map.of(
                "OPENAI_API_KEY_FILE",
                "pw2",
                "HOLDFAST_PROVIDERS_ANTHROPIC_API_KEY_FILE",
                directory.resolve("pw2").toString()),
            Map.of(),
            "pw2");

    assertThat(settings.database().password()).isEqualTo("from a file");
    assertThat(settings.database().url()).isEqualTo("postgres://ann:in-the-url@db/x");
    assertThat(settings.secretFiles())
        .contains(directory.resolve("pw"), directory.resolve("keys"), directory.resolve("url"));
    assertThat(settings.secrets().redact("from a file, in-the-url, sk-second"))
        .isEqualTo(
            "[redacted:database.password], [redacted:database.url],"
                + " [redacted:providers.other.api-keys]");
    assertThat(load(Map.of("HOLDFAST_DATABASE_PASSWORD", "env"), Map.of()).database().password())
        .as("the environment beats the file's file")
        .isEqualTo("env");
  }

  @Test
  @DisplayName("issue 20: the configuration file itself is a file with secrets where it was named")
  void configurationFile() throws IOException {
    Path other = Files.writeString(directory.resolve("prod.yaml"), "worker.concurrency: 2");
    assertThat(load(Map.of("HOLDFAST_CONFIG", "prod.yaml"), Map.of()).secretFiles())
        .containsExactly(other);
    assertThat(new ConfigLoader(directory, Map.of()).load(other, Map.of()).secretFiles())
        .containsExactly(other);
  }

  private Settings load(Map<String, String> environment, Map<String, String> flags, String more)
      throws IOException {
    Files.writeString(directory.resolve(more), "sk-anthropic-key");
    return load(environment, flags);
  }

  @Test
  @DisplayName("issue 20: systemd's credentials are secrets, whatever LoadCredential= calls them")
  void credentials() throws IOException {
    Path credentials = Files.createDirectory(directory.resolve("credentials"));
    Files.writeString(credentials.resolve("database.password"), "of systemd");
    Files.writeString(credentials.resolve("holdfast_web.tokens"), "viewer:0123456789abcdef\n");
    Files.writeString(credentials.resolve("of-somebody-else"), "x");
    file("database.password: of the file");
    Map<String, String> environment = Map.of("CREDENTIALS_DIRECTORY", credentials.toString());

    Settings settings = load(environment, Map.of());

    assertThat(settings.database().password()).isEqualTo("of systemd");
    assertThat(settings.web().tokens()).hasSize(1);
    assertThat(settings.secretFiles()).contains(credentials);
    assertThat(settings.secrets().redact("0123456789abcdef")).isEqualTo("[redacted:web.tokens]");
  }

  @Test
  @DisplayName("a secret's file that is missing, empty or beside the value stops the start")
  void badSecretFiles() throws IOException {
    Files.writeString(directory.resolve("empty"), "\n");
    Files.write(directory.resolve("binary"), new byte[] {(byte) 0xff, (byte) 0xfe, 0});
    String variable = "HOLDFAST_DATABASE_PASSWORD_FILE";
    assertThat(refusal(Map.of(variable, "missing")))
        .contains(variable, "missing", "there is no such file");
    assertThat(refusal(Map.of(variable, "empty"))).contains(variable, "is empty");
    assertThat(refusal(Map.of(variable, "binary"))).contains(variable, "not UTF-8");
    assertThat(refusal(Map.of(variable, "empty", "HOLDFAST_DATABASE_PASSWORD", "hunter2")))
        .contains("database.password-file", "keep one")
        .doesNotContain("hunter2");
    assertThat(refusal(Map.of("HOLDFAST_WORKER_LEASE_FILE", "empty")))
        .as("only secrets have files")
        .contains("unknown variable HOLDFAST_WORKER_LEASE_FILE");
    assertThat(refusal(Map.of("CREDENTIALS_DIRECTORY", "missing")))
        .contains("CREDENTIALS_DIRECTORY", "missing");
  }

  @Test
  @DisplayName("issue 20: everybody's password is no secret: logs would be unreadable without it")
  void words() {
    Settings settings =
        load(
            Map.of(
                "HOLDFAST_DATABASE_USER", "holdfast_app", "HOLDFAST_DATABASE_PASSWORD", "Postgres"),
            Map.of());
    assertThat(settings.secrets().redact("org.postgresql Postgres")).contains("Postgres");
  }
}
