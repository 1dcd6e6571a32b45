package dev.holdfast.config;

import java.util.List;
import java.util.Set;

/**
 * The HTTP server.
 *
 * @param port 0 takes a free one
 * @param host the address to listen on
 * @param tokens without any, only loopback is allowed
 */
public record WebSettings(int port, String host, List<Token> tokens) {
  private static final Set<String> LOOPBACK = Set.of("127.0.0.1", "localhost", "::1");

  /** What a bearer of a token may do. */
  public enum Role {
    VIEWER,
    OPERATOR
  }

  /** A bearer token; its secret is never shown. */
  public record Token(Role role, String secret) {
    static Token of(String text) {
      int colon = text.indexOf(':');
      Role role = text.substring(0, colon).equals("operator") ? Role.OPERATOR : Role.VIEWER;
      return new Token(role, text.substring(colon + 1));
    }

    @Override
    public String toString() {
      return "Token[role=" + role + ", secret=***]";
    }
  }

  public WebSettings {
    tokens = List.copyOf(tokens);
    if (tokens.isEmpty() && !LOOPBACK.contains(host)) {
      throw new ConfigException(
          "web.host: \""
              + host
              + "\" lets other machines connect, which needs web.tokens; allowed without:"
              + " 127.0.0.1, localhost, ::1");
    }
  }

  public WebSettings withPort(int newPort) {
    return new WebSettings(newPort, host, tokens);
  }

  static WebSettings of(Values values) {
    return new WebSettings(
        values.get(Keys.WEB_PORT),
        values.get(Keys.WEB_HOST),
        values.get(Keys.WEB_TOKENS).stream().map(Token::of).toList());
  }
}
