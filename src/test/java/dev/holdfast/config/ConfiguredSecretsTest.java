package dev.holdfast.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.secret.Secrets;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What of the configuration is taken out of all that leaves the process, and what is shown. */
class ConfiguredSecretsTest {
  private static Secrets secrets(Map<String, String> flags) {
    return new ConfigLoader(Path.of("nowhere"), Map.of()).load(null, flags).secrets();
  }

  @ParameterizedTest(name = "{1} of {0}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          postgres://ann:s3cret-pw@h/d                      | s3cret-pw
          postgres://ann:s3cret%21pw@h/d                    | s3cret!pw
          postgres://ann:s3cret%21pw@h/d                    | s3cret%21pw
          postgres://ann:s3cret%2Fp%40w@h/d                 | s3cret/p@w
          postgres://ann:s3cret+pw@h/d                      | s3cret+pw
          postgres://ann:s3cret%zzpw@h/d                    | s3cret%zzpw
          postgres://:s3cret-pw@h/d                         | s3cret-pw
          jdbc:postgresql://h/d?user=ann&password=s3cret-pw | s3cret-pw
          jdbc:postgresql://h/d?password=s3cret%21pw&a=b    | s3cret!pw
          jdbc:postgresql://h/d?password=s3cret+pw          | s3cret pw
          jdbc:postgresql://h/d?PassWord=s3cret-pw          | s3cret-pw
          jdbc:postgresql://h/d?sslpassword=s3cret-pw       | s3cret-pw
          """)
  @DisplayName("the password of an address is found as it stands there and as the database gets it")
  void addresses(String url, String password) {
    for (String key : new String[] {"database.url", "database.listen-url"}) {
      assertThat(secrets(Map.of(key, url)).redact("<" + password + ">"))
          .isEqualTo("<[redacted:" + key + "]>");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "postgres://localhost:5432/database",
    "postgres://ann-of-sales@localhost/database",
    "jdbc:postgresql://localhost/database?user=ann-of-sales&ApplicationName=password",
    "postgres://ann:postgres@localhost/database",
    "postgres://ann:PassWord@localhost/database",
  })
  @DisplayName("an address without a password, or with everybody's, has no secret")
  void noSecret(String url) {
    assertThat(secrets(Map.of("database.url", url)).longest()).isZero();
  }

  @Test
  @DisplayName("every key of a secret is one; what names nobody's secret stays readable")
  void keys() {
    Secrets secrets =
        secrets(
            Map.of(
                "database.user", "name-and-password",
                "database.password", "name-and-password",
                "web.tokens",
                    "viewer:token-of-a-viewer,operator/ann:token-of-operator,viewer:sha256:"
                        + "ab".repeat(32),
                "mcp.token", "token-of-a-viewer",
                "web.auth.proxy-secret", "secret-of-the-proxy",
                "web.auth.oidc-client-secret", "secret-of-the-client",
                "webhooks.url", "https://hooks.example/T0/B0",
                "webhooks.secret", "secret-of-webhooks",
                "mail.password", "secret-of-mail",
                "providers.o.api-keys", "first-key,second-key"));

    assertThat(secrets.redact("token-of-operator ann secret-of-the-proxy secret-of-the-client"))
        .isEqualTo(
            "[redacted:web.tokens] ann [redacted:web.auth.proxy-secret]"
                + " [redacted:web.auth.oidc-client-secret]");
    assertThat(secrets.redact("https://hooks.example/T0/B0 secret-of-webhooks secret-of-mail"))
        .isEqualTo("[redacted:webhooks.url] [redacted:webhooks.secret] [redacted:mail.password]");
    assertThat(secrets.redact("first-key second-key"))
        .isEqualTo("[redacted:providers.o.api-keys] [redacted:providers.o.api-keys]");
    assertThat(secrets.redact("token-of-a-viewer"))
        .as("under the first of its keys")
        .isEqualTo("[redacted:web.tokens]");
    assertThat(secrets.redact("name-and-password sha256:" + "ab".repeat(32)))
        .as("a name is in every log; a hash is no secret")
        .isEqualTo("name-and-password sha256:" + "ab".repeat(32));
  }

  @ParameterizedTest(name = "{0} is {1}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          postgres://ann:pw@h/d                | postgres://ann:***@h/d
          postgres://ann@h/d                   | postgres://ann@h/d
          postgres://h:5432/d                  | postgres://h:5432/d
          postgres://ann:p@w/x:y@h/d           | postgres://ann:***@h/d
          jdbc:postgresql://h/d?password=pw&a=b | jdbc:postgresql://h/d?password=***&a=b
          jdbc:postgresql://h/d?a=b&SSLPassword=pw | jdbc:postgresql://h/d?a=b&SSLPassword=***
          connects to //a:b@h and //c:d@h now  | connects to //a:***@h now
          no address: x@y                      | no address: x@y
          """)
  @DisplayName("an address is shown without its password")
  void shown(String text, String safe) {
    assertThat(Redaction.withoutPassword(text)).isEqualTo(safe);
  }
}
