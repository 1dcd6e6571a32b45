package dev.holdfast.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Of the places in which a secret may be, and which of them wins. */
class SecretFilesTest {
  private static final String PASSWORD = "HOLDFAST_DATABASE_PASSWORD";

  @TempDir Path directory;

  private final Map<String, String> environment = new HashMap<>();

  private void write(String file, String text) throws IOException {
    Path path = directory.resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, text);
  }

  private Settings load() {
    return new ConfigLoader(directory, environment).load(null, Map.of());
  }

  private void assertRefused(String... words) {
    assertThatThrownBy(this::load)
        .isInstanceOf(ConfigException.class)
        .message()
        .contains(words)
        .doesNotContain("hunter2", "\n", "Exception");
  }

  @Test
  @DisplayName("each place of a secret beats the ones before it; the last is the command line")
  void ladder() throws IOException {
    assertThat(load().database().password()).isNull();

    write("of-file", "named by the file");
    write("holdfast.yaml", "database.password-file: of-file");
    assertThat(load().database().password()).isEqualTo("named by the file");
    write("holdfast.yaml", "database.password: in the file");
    assertThat(load().database().password()).isEqualTo("in the file");

    write("credentials/database.password", "credential");
    environment.put("CREDENTIALS_DIRECTORY", "credentials");
    assertThat(load().database().password()).isEqualTo("credential");

    write("of-variable", "named by a variable");
    environment.put(PASSWORD + "_FILE", "of-variable");
    assertThat(load().database().password()).isEqualTo("named by a variable");
    environment.remove(PASSWORD + "_FILE");
    environment.put(PASSWORD, "variable");
    assertThat(load().database().password()).isEqualTo("variable");

    assertThat(
            new ConfigLoader(directory, environment)
                .load(null, Map.of("database.password", "flag"))
                .database()
                .password())
        .isEqualTo("flag");
  }

  @Test
  @DisplayName("a vendor's variable gives way to every place that is ours, and beats its own file")
  void vendorsVariable() throws IOException {
    environment.put("OPENAI_API_KEY_FILE", " vendor ");
    write("vendor", "sk-in-a-file\n");
    assertThat(keys()).containsExactly("sk-in-a-file");
    environment.put("OPENAI_API_KEY", " sk-variable\n");
    assertThat(keys()).containsExactly("sk-variable");
    environment.put("OPENAI_API_KEY", " ");
    assertThat(keys()).as("an empty variable is none").containsExactly("sk-in-a-file");

    write("credentials/holdfast.providers.openai.api-keys", "sk-a\n\nsk-b\n");
    environment.put("CREDENTIALS_DIRECTORY", "credentials");
    assertThat(keys()).containsExactly("sk-a", "sk-b");
    environment.remove("CREDENTIALS_DIRECTORY");

    write("ours", "sk-ours");
    environment.put("HOLDFAST_PROVIDERS_OPENAI_API_KEY_FILE", "ours");
    assertThat(keys()).containsExactly("sk-ours");
  }

  private Iterable<String> keys() {
    return load().agents().providers().getFirst().settings().keys();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'secret'|secret",
        "'secret\n'|secret",
        "'secret\r\n\r\n'|secret",
        "'two\nlines\n'|'two\nlines'",
        "'a,b\n'|a,b",
      })
  @DisplayName("of a file the ends of its last line do not count, everything else does")
  void ends(String written, String read) throws IOException {
    write("password", written);
    environment.put(PASSWORD + "_FILE", directory.resolve("password").toString());
    assertThat(load().database().password()).isEqualTo(read);
    assertThat(load().secretFiles()).containsExactly(directory.resolve("password"));
  }

  @Test
  @DisplayName("of a list each line of the file is an entry")
  void lists() throws IOException {
    write("tokens", "viewer:0123456789abcdef\r\noperator/ann:fedcba9876543210\n");
    environment.put("HOLDFAST_WEB_TOKENS_FILE", "tokens");
    assertThat(load().web().tokens())
        .extracting(WebSettings.Token::name)
        .containsExactly(null, "ann");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "\n", " \r\n "})
  @DisplayName("an empty file is no secret")
  void empty(String text) throws IOException {
    write("empty", text);
    environment.put(PASSWORD + "_FILE", "empty");
    assertRefused(PASSWORD + "_FILE: the file ", "empty of database.password is empty");
  }

  @Test
  @DisplayName("a file that cannot be read: the line names variable, file, key and why")
  void unreadable() throws IOException {
    environment.put(PASSWORD + "_FILE", "missing");
    assertRefused(PASSWORD + "_FILE", directory + "/missing of database.password", "no such file");
    Files.createDirectory(directory.resolve("missing"));
    assertRefused("it is a directory", "readable for the user of this process");
    Files.write(directory.resolve("latin1"), new byte[] {'h', (byte) 0xe9});
    environment.put(PASSWORD + "_FILE", "latin1");
    assertRefused("latin1 of database.password is not UTF-8 text");
    environment.clear();
    environment.put("ANTHROPIC_API_KEY_FILE", "missing.key");
    assertRefused("ANTHROPIC_API_KEY_FILE", "missing.key of providers.anthropic.api-key");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"a\\0b\"|has the character NUL",
        "[hunter]|is a list or map where one value is expected",
        "{hunter: 2}|is a list or map where one value is expected",
        "5|must be text; put it in quotes",
        "~|has no value; write one or remove the line",
      })
  @DisplayName("what cannot be a file's name is refused by the key of the file")
  void noName(String yaml, String why) throws IOException {
    write("holdfast.yaml", "database.password-file: " + yaml);
    assertRefused("database.password-file", "holdfast.yaml", why);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "database: {password: hunter2, password_file: f}|database.password-file",
        "providers: {o: {api-key: hunter2, api-key-file: f}}|providers.o.api-key-file",
        "database: {url: 'postgres://h/d', url-file: f}|database.url-file",
        "web: {tokens: [], tokens_file: f}|web.tokens-file",
      })
  @DisplayName("a value and its file in one place are a contradiction")
  void both(String yaml, String key) throws IOException {
    write("holdfast.yaml", yaml);
    assertRefused(" and " + key + " are both given in one place; keep one");
  }

  @ParameterizedTest
  @CsvSource({
    "worker.lease-file, worker.lease",
    "database.user_file, database.user-file",
    "database.password-file-file, database.password-file-file",
    "providers.o.base-url-file, providers.o.base-url-file",
    "-file, -file",
  })
  @DisplayName("what is no secret and no address has no file")
  void noSecret(String key, String named) throws IOException {
    write("holdfast.yaml", "'" + key + "': x");
    assertRefused("unknown key " + named);
  }

  @Test
  @DisplayName("credentials: with each prefix; what is nobody's, a directory or no secret is left")
  void credentials() throws IOException {
    write("c/holdfast_database.url", "postgres://ann:hunter2hunter2@h/d\n");
    write("c/holdfast.mail.password", "a password");
    write("c/webhooks.secret", "0123456789abcdef");
    write("c/worker.lease", "5s");
    write("c/holdfast_database.user", "ann");
    write("c/database.password-file", "x");
    write("c/database.password/nested", "x");
    environment.put("CREDENTIALS_DIRECTORY", directory.resolve("c").toString());
    write("holdfast.yaml", "mail: {server: 'smtp://h', from: a@b, to: [c@d], user: ann}");

    Settings settings = load();

    assertThat(settings.database().url()).isEqualTo("postgres://ann:hunter2hunter2@h/d");
    assertThat(settings.database().user()).isNull();
    assertThat(settings.database().password()).isNull();
    assertThat(settings.worker().lease()).hasSeconds(60);
    assertThat(settings.web().notices().mail())
        .isNotNull()
        .extracting(NoticeSettings.Mail::password)
        .isEqualTo("a password");
    assertThat(settings.secretFiles()).containsExactly(directory.resolve("c"));
    assertThat(settings.secrets().redact("0123456789abcdef hunter2hunter2"))
        .isEqualTo("[redacted:webhooks.secret] [redacted:database.url]");
  }

  @Test
  @DisplayName("two credentials for one key are a contradiction: no order says which is meant")
  void twoCredentials() throws IOException {
    write("c/database.password", "hunter2");
    write("c/holdfast_database.password", "hunter2 too");
    environment.put("CREDENTIALS_DIRECTORY", "c");
    assertRefused("CREDENTIALS_DIRECTORY: two credentials are for database.password; keep one");
  }

  @Test
  @DisplayName("credentials that cannot be used name their directory, or their source")
  void badCredentials() throws IOException {
    environment.put("CREDENTIALS_DIRECTORY", "missing");
    assertRefused("CREDENTIALS_DIRECTORY: cannot read missing: there is no such file");
    write("plain", "x");
    environment.put("CREDENTIALS_DIRECTORY", "plain");
    assertRefused("CREDENTIALS_DIRECTORY: cannot read plain: it is no directory");
    write("c/web.tokens", "hunter2");
    environment.put("CREDENTIALS_DIRECTORY", "c");
    assertRefused("web.tokens: *** (from the credential web.tokens)");
    write("c/web.tokens", "\n");
    assertRefused("CREDENTIALS_DIRECTORY: the file", "of web.tokens is empty");
    environment.put("CREDENTIALS_DIRECTORY", " ");
    assertThat(load().secretFiles()).isEmpty();
  }

  @Test
  @DisplayName("the database's password is what its file has now, and stays while it has nothing")
  void rotation() throws IOException {
    write("password", "first\n");
    environment.put(PASSWORD + "_FILE", "password");
    DatabaseSettings database = load().database();
    assertThat(database.currentPassword()).isEqualTo("first");
    write("password", "second\n");
    assertThat(database.currentPassword()).isEqualTo("second");
    write("password", "\n");
    assertThat(database.currentPassword()).isEqualTo("first");
    Files.delete(directory.resolve("password"));
    assertThat(database.currentPassword()).isEqualTo("first");
  }

  @Test
  @DisplayName("a password that was changed in its file is as secret as the one before")
  void rotatedIsSecret() throws IOException {
    write("password", "the first one\n");
    environment.put(PASSWORD + "_FILE", "password");
    Settings settings = load();
    Settings used = settings.withSecret("local-token", "some token");
    write("password", "the second one\n");
    assertThat(settings.currentPassword()).isEqualTo("the second one");
    assertThat(used.secrets().redact("the first one, the second one"))
        .isEqualTo("[redacted:database.password], [redacted:database.password]");
  }
}
