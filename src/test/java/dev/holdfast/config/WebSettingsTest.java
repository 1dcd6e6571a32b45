package dev.holdfast.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.config.WebSettings.Role;
import dev.holdfast.config.WebSettings.Token;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class WebSettingsTest {
  private static final String TOKEN = "hunter2hunter2hunter2";

  private static WebSettings web(Map<String, String> flags) {
    return new ConfigLoader(Path.of("nowhere"), Map.of()).load(null, flags).web();
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "localhost", "::1"})
  @DisplayName("on a loopback address nobody needs a token")
  void loopback(String host) {
    assertThat(web(Map.of("web.host", host)).isLocal()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.0.0.0", "::", "10.0.0.7", "host.example", "LOCALHOST", "127.0.0.2"})
  @DisplayName("any other host stops the start, but where there are tokens or logins")
  void otherHosts(String host) {
    assertThatThrownBy(() -> web(Map.of("web.host", host)))
        .isInstanceOf(ConfigException.class)
        .hasMessage(
            "web.host: \""
                + host
                + "\" lets other machines connect, which needs web.tokens or web.auth; allowed"
                + " without: 127.0.0.1, localhost, ::1");
    assertThat(web(Map.of("web.host", host, "web.tokens", "viewer:" + TOKEN)).isLocal()).isFalse();
    Map<String, String> proxy =
        Map.of(
            "web.host", host,
            "web.auth.proxy-header", "X-User",
            "web.auth.proxy-addresses", "10.0.0.9",
            "web.auth.operators", "ann");
    assertThat(web(proxy).isLocal()).isFalse();
    assertThat(web(proxy).auth().isConfigured()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"a b", "a/b", "[::1]", "http://a", "é", "a%lo"})
  @DisplayName("what is neither a name nor an address is no host")
  void noHost(String host) {
    assertThatThrownBy(() -> web(Map.of("web.host", host, "web.tokens", "viewer:" + TOKEN)))
        .isInstanceOf(ConfigException.class)
        .hasMessageStartingWith("web.host: \"" + host + "\" (from the command line) has the wrong");
  }

  @ParameterizedTest
  @CsvSource({
    "viewer:hunter2hunter2hunter2, VIEWER,",
    "operator:hunter2hunter2hunter2, OPERATOR,",
    "operator/ann@home.example:hunter2hunter2hunter2, OPERATOR, ann@home.example",
    "viewer/a:b:c:d:e:f:g:h:i:j, VIEWER, a",
  })
  @DisplayName("a token has a role and perhaps a name; all behind the colon is the token")
  void tokens(String entry, Role role, String name) {
    WebSettings read = web(Map.of("web.tokens", entry));
    Token token = read.tokens().getFirst();
    String secret = entry.substring(entry.indexOf(':') + 1);
    assertThat(token.role()).isEqualTo(role);
    assertThat(token.name()).isEqualTo(name);
    assertThat(token.isOf(secret)).isTrue();
    assertThat(token.isOf(secret + "x")).isFalse();
    assertThat(token.isOf(token.sha256())).as("who knows the hash knows no token").isFalse();
    assertThat(read.toString()).doesNotContain(secret, token.sha256());

    String hash = Token.hashed(secret);
    String who = entry.substring(0, entry.indexOf(':') + 1);
    for (String written :
        new String[] {hash, "sha256:" + hash.substring(7).toUpperCase(Locale.ROOT)}) {
      assertThat(web(Map.of("web.tokens", who + written)).tokens()).containsExactly(token);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "hunter2hunter2hunter2",
        "admin:hunter2hunter2hunter2",
        "Viewer:hunter2hunter2hunter2",
        "viewer:hunter2",
        "viewer:hunter2 hunter2 hunter2",
        "viewer/:hunter2hunter2hunter2",
        "viewer/-a:hunter2hunter2hunter2",
        "viewer/a b:hunter2hunter2hunter2",
        "viewer:sha256:hunter2hunter2hunter2",
        "viewer:sha256:abababababababababababababababababababababababababababababababa",
        "viewer:hunter2hunter2hunter2,operator",
      })
  @DisplayName("what is no token stops the start; the line says how one is written, and shows none")
  void noTokens(String entry) {
    assertThatThrownBy(() -> web(Map.of("web.tokens", entry)))
        .isInstanceOf(ConfigException.class)
        .hasMessageStartingWith("web.tokens: *** (from the command line) has an entry of the wrong")
        .hasMessageContaining("viewer:TOKEN or operator/NAME:TOKEN")
        .hasMessageNotContaining("hunter2");
  }

  @Test
  @DisplayName("the assistant's token is read, and never shown")
  void mcpToken() {
    WebSettings read = web(Map.of("mcp.token", TOKEN));
    assertThat(read.mcpToken()).isEqualTo(TOKEN);
    assertThat(read.toString()).contains("mcpToken=***").doesNotContain(TOKEN);
    assertThat(web(Map.of()).mcpToken()).isNull();
    assertThat(web(Map.of()).toString()).contains("mcpToken=none");
  }

  @Test
  @DisplayName("another port changes nothing else")
  void withPort() {
    WebSettings read = web(Map.of("web.tokens", "viewer:" + TOKEN, "mcp.token", TOKEN));
    assertThat(read.withPort(5)).isNotEqualTo(read).extracting(WebSettings::port).isEqualTo(5);
    assertThat(read.withPort(5).withPort(read.port())).isEqualTo(read);
  }

  /** A whole provider of logins, but for one key. */
  private static Map<String, String> oidcBut(String key, String value) {
    Map<String, String> flags =
        new HashMap<>(
            Map.of(
                "web.auth.oidc-issuer", "https://id.example",
                "web.auth.oidc-client-id", "c",
                "webhooks.console-url", "http://h",
                "web.auth.viewers", "ann"));
    flags.put(key, value);
    return flags;
  }

  @ParameterizedTest
  @CsvSource({
    "web.auth.oidc-issuer, http://localhost:8080/r",
    "web.auth.oidc-issuer, http://127.0.0.1/r",
    "web.auth.oidc-issuer, http://[::1]:1/r",
    "web.auth.oidc-issuer, https://id.example",
    "web.auth.oidc-client-secret, ''",
    "web.auth.viewers, '@staff, Ann Smith, *'",
    "web.auth.oidc-scopes, 'openid,urn:a/b'",
  })
  @DisplayName("a provider of logins: what it may be")
  void oidc(String key, String value) {
    AuthSettings auth = web(oidcBut(key, value)).auth();
    assertThat(auth.oidc()).isNotNull();
    assertThat(auth.isConfigured()).isTrue();
    assertThat(auth.oidc().clientSecret()).isNull();
  }

  @ParameterizedTest
  @CsvSource({
    "web.auth.oidc-issuer, http://localhost.example",
    "web.auth.oidc-issuer, http://10.0.0.1",
    "web.auth.oidc-issuer, https://a_b",
    "web.auth.oidc-issuer, https://",
    "web.auth.oidc-scopes, 'openid,a b'",
    "web.auth.oidc-scopes, ''",
    "web.auth.oidc-name-claim, ''",
    "web.auth.oidc-groups-claim, a b",
    "web.auth.operators, '@'",
    "web.auth.operators, 'a@b@c,*x'",
    "webhooks.console-url, https://a_b",
  })
  @DisplayName("a provider of logins: what it may not be, by the key's name")
  void noOidc(String key, String value) {
    assertThatThrownBy(() -> web(oidcBut(key, value)))
        .isInstanceOf(ConfigException.class)
        .hasMessageStartingWith(key);
  }
}
