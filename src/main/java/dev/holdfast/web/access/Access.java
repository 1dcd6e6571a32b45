package dev.holdfast.web.access;

import java.net.URI;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Knows who may use a port: those who have one of its tokens, and those whom others have logged in.
 * Immutable.
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
   * Makes the access for those who have the token of this start, on this machine only; links with
   * it log in.
   *
   * @param person in whose name they act
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

  /**
   * Makes the access for those who have a configured token, of which there may be none, and those
   * whom others log in.
   */
  public static Access of(
      List<AccessToken> tokens, OtherLogins others, Supplier<String> secret, InstantSource clock) {
    LoginCookies cookies = new LoginCookies(secret, secret, clock);
    return new Access(tokens, false, cookies, others, 0, USUALLY_AT_ONCE, Optional.empty());
  }

  /** Returns the same with a limit on the requests of each visitor; 0 is no limit. */
  public Access limitedTo(int newRequestsPerMinute) {
    return new Access(
        tokens, local, cookies, others, newRequestsPerMinute, requestsAtOnce, console);
  }

  /** Returns the same with a limit on the requests that are answered at once, of all visitors. */
  public Access answeringAtOnce(int newRequestsAtOnce) {
    return new Access(
        tokens, local, cookies, others, requestsPerMinute, newRequestsAtOnce, console);
  }

  /** Returns the same with the address of the console for people; null where it is not known. */
  public Access reachedAt(@Nullable URI newConsole) {
    Optional<Origin> origin =
        Optional.ofNullable(newConsole).flatMap(each -> Origin.parse(each.toString()));
    return new Access(tokens, local, cookies, others, requestsPerMinute, requestsAtOnce, origin);
  }

  /** Returns true if no tokens are configured, so that the only one is that of this start. */
  public boolean isLocal() {
    return local;
  }

  /** Returns the place where people find a token, for the message to those without one. */
  public String whereTokensAre() {
    return local ? "the token in .holdfast/token, new at each start" : "a token of web.tokens";
  }

  public int requestsAtOnce() {
    return requestsAtOnce;
  }

  public int requestsPerMinute() {
    return requestsPerMinute;
  }

  /** Returns where people reach the console; empty where that is not known. */
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

  /** Returns the token with this secret. It compares with all of them, whichever matches. */
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
