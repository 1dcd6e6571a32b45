package dev.holdfast.config;

import java.net.URI;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Logins that somebody else checks.
 *
 * @param proxy null where no proxy is trusted
 * @param oidc null where no provider is configured
 * @param viewers names, {@code @GROUP} or {@code *}
 * @param operators likewise
 */
public record AuthSettings(
    @Nullable Proxy proxy, @Nullable Oidc oidc, List<String> viewers, List<String> operators) {
  public static final AuthSettings NONE = new AuthSettings(null, null, List.of(), List.of());

  private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]");

  /**
   * A proxy that logs people in.
   *
   * @param groupsHeader null where the proxy sends no groups
   * @param secret null where its address is enough
   */
  public record Proxy(
      String header,
      @Nullable String groupsHeader,
      List<AddressRange> addresses,
      @Nullable String secret) {
    private static @Nullable Proxy of(Values values) {
      String header = values.get(AuthKeys.PROXY_HEADER);
      if (header.isEmpty()) {
        return null;
      }
      List<AddressRange> addresses =
          values.get(AuthKeys.PROXY_ADDRESSES).stream()
              .map(text -> AddressRange.parse("web.auth.proxy-addresses", text))
              .toList();
      if (addresses.isEmpty()) {
        throw new ConfigException(
            "web.auth.proxy-header needs web.auth.proxy-addresses: from anywhere else the header"
                + " proves nothing");
      }
      String secret = orNull(values.get(AuthKeys.PROXY_SECRET));
      if (secret == null && addresses.stream().anyMatch(AddressRange::isThisMachine)) {
        throw new ConfigException(
            "web.auth.proxy-addresses has this machine's own address, from which jobs can connect,"
                + " too: set web.auth.proxy-secret, and let the proxy send it as"
                + " X-Holdfast-Proxy-Secret");
      }
      return new Proxy(header, orNull(values.get(AuthKeys.PROXY_GROUPS_HEADER)), addresses, secret);
    }

    @Override
    public String toString() {
      return "Proxy[header=%s, addresses=%s]".formatted(header, addresses);
    }
  }

  /**
   * A provider of OpenID Connect.
   *
   * @param clientSecret null for a public client
   * @param console where people reach the console
   */
  public record Oidc(
      URI issuer,
      String clientId,
      @Nullable String clientSecret,
      URI console,
      List<String> scopes,
      String nameClaim,
      String groupsClaim) {
    private static @Nullable Oidc of(Values values) {
      String issuer = values.get(AuthKeys.OIDC_ISSUER);
      if (issuer.isEmpty()) {
        return null;
      }
      String clientId = values.get(AuthKeys.OIDC_CLIENT_ID);
      String console = orNull(values.get(WebKeys.WEBHOOKS_CONSOLE_URL));
      if (clientId.isEmpty() || console == null) {
        throw new ConfigException(
            "web.auth.oidc-issuer needs web.auth.oidc-client-id, and webhooks.console-url, where"
                + " the provider sends people back to");
      }
      return new Oidc(
          encrypted(issuer),
          clientId,
          orNull(values.get(AuthKeys.OIDC_CLIENT_SECRET)),
          withoutPath(WebhookSettings.uri("webhooks.console-url", console)),
          withOpenid(values.get(AuthKeys.OIDC_SCOPES)),
          values.get(AuthKeys.OIDC_NAME_CLAIM),
          values.get(AuthKeys.OIDC_GROUPS_CLAIM));
    }

    /**
     * Refuses an address with a path: all addresses of the console begin at its host, and so does
     * the one that people come back to.
     */
    private static URI withoutPath(URI console) {
      if (console.getRawPath().matches("/?")) {
        return console;
      }
      throw new ConfigException(
          "webhooks.console-url: the console needs a host name of its own, it does not work below"
              + " a path such as "
              + console.getRawPath());
    }

    private static URI encrypted(String issuer) {
      URI address = WebhookSettings.uri("web.auth.oidc-issuer", issuer);
      if (address.getScheme().equals("https") || LOOPBACK.contains(address.getHost())) {
        return address;
      }
      throw new ConfigException(
          "web.auth.oidc-issuer must be https: whoever is on the way could log in as anybody");
    }

    private static List<String> withOpenid(List<String> scopes) {
      if (scopes.contains("openid")) {
        return scopes;
      }
      throw new ConfigException("web.auth.oidc-scopes must have openid among them");
    }

    @Override
    public String toString() {
      return "Oidc[issuer=%s, clientId=%s]".formatted(issuer, clientId);
    }
  }

  public AuthSettings {
    viewers = List.copyOf(viewers);
    operators = List.copyOf(operators);
    boolean configured = proxy != null || oidc != null;
    if (configured && viewers.isEmpty() && operators.isEmpty()) {
      throw new ConfigException(
          "web.auth needs web.auth.viewers or web.auth.operators: who may come in, by name,"
              + " @GROUP, or * for everybody who is let in elsewhere");
    }
  }

  /** Returns true if people can come in without a token. */
  public boolean isConfigured() {
    return proxy != null || oidc != null;
  }

  static AuthSettings of(Values values) {
    return new AuthSettings(
        Proxy.of(values),
        Oidc.of(values),
        values.get(AuthKeys.VIEWERS),
        values.get(AuthKeys.OPERATORS));
  }

  private static @Nullable String orNull(@Nullable String text) {
    return text == null || text.isEmpty() ? null : text;
  }
}
