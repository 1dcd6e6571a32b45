package dev.holdfast.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AuthSettingsTest {
  private static final Map<String, String> PROXY =
      Map.of(
          "web.auth.proxy-header", "X-Forwarded-User",
          "web.auth.proxy-addresses", "10.0.0.0/8,fd00::/8",
          "web.auth.viewers", "*");
  private static final Map<String, String> OIDC =
      Map.of(
          "web.auth.oidc-issuer", "https://id.example/realms/a",
          "web.auth.oidc-client-id", "holdfast",
          "webhooks.console-url", "https://holdfast.example",
          "web.auth.operators", "ann@example.org,@ops");

  private static AuthSettings read(Map<String, String> flags) {
    return new ConfigLoader(Path.of("nowhere"), Map.of()).load(null, flags).web().auth();
  }

  @Test
  @DisplayName("auth: defaults and keys; other machines may connect where a proxy or provider is")
  void keys() {
    assertThat(read(Map.of())).isEqualTo(AuthSettings.NONE);
    Map<String, String> proxy = new HashMap<>(PROXY);
    proxy.putAll(
        Map.of(
            "web.host", "0.0.0.0",
            "web.auth.proxy-groups-header", "X-Forwarded-Groups",
            "web.auth.proxy-secret", "0123456789abcdef"));
    AuthSettings read = read(proxy);
    assertThat(read.proxy())
        .isEqualTo(
            new AuthSettings.Proxy(
                "X-Forwarded-User",
                "X-Forwarded-Groups",
                List.of(
                    new AddressRange(InetAddress.ofLiteral("10.0.0.0"), 8),
                    new AddressRange(InetAddress.ofLiteral("fd00::"), 8)),
                "0123456789abcdef"));
    assertThat(read.toString()).doesNotContain("0123456789abcdef");

    Map<String, String> oidc = new HashMap<>(OIDC);
    oidc.putAll(
        Map.of(
            "web.auth.oidc-client-secret", "s3cret",
            "web.auth.oidc-scopes", "openid,roles",
            "web.auth.oidc-name-claim", "preferred_username",
            "web.auth.oidc-groups-claim", "roles"));
    assertThat(read(oidc))
        .isEqualTo(
            new AuthSettings(
                null,
                new AuthSettings.Oidc(
                    URI.create("https://id.example/realms/a"),
                    "holdfast",
                    "s3cret",
                    URI.create("https://holdfast.example"),
                    List.of("openid", "roles"),
                    "preferred_username",
                    "roles"),
                List.of(),
                List.of("ann@example.org", "@ops")));
    assertThat(read(oidc).toString()).doesNotContain("s3cret");
  }

  @ParameterizedTest(name = "{0} = {1}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          web.auth.proxy-header     | X Forwarded       | header
          web.auth.proxy-addresses  | ''                | proves nothing
          web.auth.proxy-addresses  | 10.0.0.0/0        | 1 to 32 bits
          web.auth.proxy-addresses  | fd00::/129        | 1 to 128 bits
          web.auth.proxy-addresses  | 10.0.0.300        | is no address
          web.auth.proxy-addresses  | proxy.example     | wrong form
          web.auth.proxy-addresses  | 127.0.0.0/8       | web.auth.proxy-secret
          web.auth.proxy-addresses  | 64.0.0.0/1        | web.auth.proxy-secret
          web.auth.proxy-addresses  | ::1               | web.auth.proxy-secret
          web.auth.proxy-secret     | short             | at least 16
          web.auth.viewers          | ''                | who may come in
          web.auth.viewers          | *a                | wrong form
          """)
  @DisplayName("a proxy that could not be told from others is refused at the start")
  void proxy(String key, String value, String problem) {
    refused(PROXY, key, value, problem);
  }

  @ParameterizedTest(name = "{0} = {1}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          web.auth.oidc-issuer     | http://id.example | must be https
          web.auth.oidc-issuer     | ldap://id.example | https://
          web.auth.oidc-client-id  | ''                | web.auth.oidc-client-id
          webhooks.console-url     | ''                | webhooks.console-url
          webhooks.console-url     | https://h.example/hf | does not work below a path such as /hf
          web.auth.oidc-scopes     | email             | openid
          web.auth.operators       | ''                | who may come in
          """)
  @DisplayName(
      "a provider that could not be trusted, or reached back from, is refused at the start")
  void oidc(String key, String value, String problem) {
    refused(OIDC, key, value, problem);
  }

  private static void refused(Map<String, String> right, String key, String value, String problem) {
    Map<String, String> flags = new HashMap<>(right);
    flags.put(key, value);
    assertThatThrownBy(() -> read(flags))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining(problem);
  }
}
