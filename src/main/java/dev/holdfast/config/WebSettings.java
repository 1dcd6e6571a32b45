package dev.holdfast.config;

import dev.holdfast.failure.Sha256;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The HTTP server.
 *
 * @param port 0 takes a free one
 * @param host the address to listen on
 * @param tokens if there are none, only loopback is allowed
 * @param limits what visitors may use up
 * @param notices who is told what people should know
 * @param auth logins that somebody else checks
 * @param mcpToken the token under which an assistant acts; null where none is configured
 */
public record WebSettings(
    int port,
    String host,
    List<Token> tokens,
    Limits limits,
    NoticeSettings notices,
    AuthSettings auth,
    @Nullable String mcpToken) {
  private static final Set<String> LOOPBACK = Set.of("127.0.0.1", "localhost", "::1");

  /**
   * The bounds on what visitors of the HTTP port use.
   *
   * @param requestsPerMinute the most requests of each visitor; 0 is no bound
   * @param concurrentRequests the requests of all visitors together that are answered at once
   * @param poolSize the most database connections for them
   * @param statementTimeout the timeout of each statement for them
   */
  public record Limits(
      int requestsPerMinute, int concurrentRequests, int poolSize, Duration statementTimeout) {
    static Limits of(Values values) {
      return new Limits(
          values.get(WebKeys.REQUESTS_PER_MINUTE),
          values.get(WebKeys.CONCURRENT_REQUESTS),
          values.get(WebKeys.POOL_SIZE),
          values.get(WebKeys.STATEMENT_TIMEOUT));
    }
  }

  /** The rights of a token. */
  public enum Role {
    VIEWER,
    OPERATOR
  }

  /**
   * A bearer token, of which only the hash is kept.
   *
   * @param name the name of its owner; null where the entry has none
   * @param sha256 the hash of the token, in hexadecimal digits
   */
  public record Token(Role role, @Nullable String name, String sha256) {
    private static final String HASHED = "sha256:";

    /** Reads {@code ROLE[/NAME]:TOKEN} or {@code ROLE[/NAME]:sha256:HASH}. */
    static Token of(String text) {
      int colon = text.indexOf(':');
      String[] who = text.substring(0, colon).split("/", 2);
      String secret = text.substring(colon + 1);
      return new Token(
          who[0].equals("operator") ? Role.OPERATOR : Role.VIEWER,
          who.length == 1 ? null : who[1],
          secret.startsWith(HASHED)
              ? secret.substring(HASHED.length()).toLowerCase(Locale.ROOT)
              : Sha256.hex(secret));
    }

    /** Returns the hash that may stand in the configuration in place of a token. */
    public static String hashed(String secret) {
      return HASHED + Sha256.hex(secret);
    }

    /** Returns true if this is the token. */
    public boolean isOf(String secret) {
      return MessageDigest.isEqual(bytes(sha256), bytes(Sha256.hex(secret)));
    }

    private static byte[] bytes(String text) {
      return text.getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    public String toString() {
      return "Token[role=" + role + ", name=" + name + ", sha256=***]";
    }
  }

  public WebSettings {
    tokens = List.copyOf(tokens);
    if (tokens.isEmpty() && !auth.isConfigured() && !LOOPBACK.contains(host)) {
      throw new ConfigException(
          "web.host: \""
              + host
              + "\" lets other machines connect, which needs web.tokens or web.auth; allowed"
              + " without: 127.0.0.1, localhost, ::1");
    }
  }

  /** Returns true if this start's own token is the only way in. */
  public boolean isLocal() {
    return tokens.isEmpty() && !auth.isConfigured();
  }

  public WebSettings withPort(int newPort) {
    return new WebSettings(newPort, host, tokens, limits, notices, auth, mcpToken);
  }

  @Override
  public String toString() {
    return "WebSettings[port=%s, host=%s, tokens=%s, limits=%s, notices=%s, auth=%s, mcpToken=%s]"
        .formatted(
            "" + port, host, tokens, limits, notices, auth, mcpToken == null ? "none" : "***");
  }

  static WebSettings of(Values values) {
    String mcpToken = values.get(WebKeys.MCP_TOKEN);
    return new WebSettings(
        values.get(WebKeys.PORT),
        values.get(WebKeys.HOST),
        values.get(WebKeys.TOKENS).stream().map(Token::of).toList(),
        Limits.of(values),
        NoticeSettings.of(values),
        AuthSettings.of(values),
        mcpToken == null || mcpToken.isEmpty() ? null : mcpToken);
  }
}
