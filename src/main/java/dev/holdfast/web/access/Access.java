package dev.holdfast.web.access;

import java.net.URI;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Knows who may use a port: the bearers of its tokens, and whom others have logged in. Immutable.
 */
public final class Access {
  private static final int USUALLY_AT_ONCE = 8;

  private final List<AccessToken> tokens;
  private final boolean local;
  private final LoginCookies cookies;
  private final OtherLogins others;
  private final int requestsPerMinute;
  private final int requestsAtOnce;
  private final Optional<Origin> console;

  private Access(
      List<AccessToken> tokens,
      boolean local,
      LoginCookies cookies,
      OtherLogins others,
      int requestsPerMinute,
      int requestsAtOnce,
      Optional<Origin> console) {
    this.tokens = List.copyOf(tokens);
    this.local = local;
    this.cookies = cookies;
    this.others = others;
    this.requestsPerMinute = requestsPerMinute;
    this.requestsAtOnce = requestsAtOnce;
    this.console = console;
  }

  /**
   * For whoever has the token of this start, on this machine only; links with it log in.
   *
   * @param person in whose name its bearer acts
   * @param place where the token is kept, whatever it is at this start
   */
  public static Access ofThisMachine(
      String token, String person, String place, InstantSource clock) {
    byte[] hash = AccessToken.hash(token);
    return new Access(
        List.of(new AccessToken(Role.OPERATOR, person, HexFormat.of().formatHex(hash))),
        true,
        new LoginCookies(() -> "cookies of " + token, () -> place, clock),
        OtherLogins.NONE,
        0,
        USUALLY_AT_ONCE,
        Optional.empty());
  }

  /** For bearers of configured tokens, of which there may be none, and whom others log in. */
  public static Access of(
      List<AccessToken> tokens, OtherLogins others, Supplier<String> secret, InstantSource clock) {
    LoginCookies cookies = new LoginCookies(secret, secret, clock);
    return new Access(tokens, false, cookies, others, 0, USUALLY_AT_ONCE, Optional.empty());
  }

  /** With a bound on the requests of each visitor; 0 is none. */
  public Access limitedTo(int newRequestsPerMinute) {
    return new Access(
        tokens, local, cookies, others, newRequestsPerMinute, requestsAtOnce, console);
  }

  /** With a bound on the requests of all visitors that are answered at once. */
  public Access answeringAtOnce(int newRequestsAtOnce) {
    return new Access(
        tokens, local, cookies, others, requestsPerMinute, newRequestsAtOnce, console);
  }

  /** With the address where people reach the console; null where that is not known. */
  public Access reachedAt(@Nullable URI newConsole) {
    Optional<Origin> origin =
        Optional.ofNullable(newConsole).flatMap(each -> Origin.parse(each.toString()));
    return new Access(tokens, local, cookies, others, requestsPerMinute, requestsAtOnce, origin);
  }

  /** True if no tokens are configured, so that the only one is that of this start. */
  public boolean isLocal() {
    return local;
  }

  /** The place where people find a token, for the message to those without one. */
  public String whereTokensAre() {
    return local ? "the token in .holdfast/token, new at each start" : "a token of web.tokens";
  }

  public int requestsAtOnce() {
    return requestsAtOnce;
  }

  public int requestsPerMinute() {
    return requestsPerMinute;
  }

  /** Where people reach the console; empty where that is not known. */
  public Optional<Origin> console() {
    return console;
  }

  public OtherLogins others() {
    return others;
  }

  public LoginCookies cookies() {
    return cookies;
  }

  public List<AccessToken> tokens() {
    return tokens;
  }

  /** The token with this secret; compares with all of them, whichever it is. */
  public Optional<AccessToken> bearing(String secret) {
    byte[] hash = AccessToken.hash(secret);
    AccessToken found = null;
    for (AccessToken token : tokens) {
      if (token.matches(hash)) {
        found = token;
      }
    }
    return Optional.ofNullable(found);
  }
}
