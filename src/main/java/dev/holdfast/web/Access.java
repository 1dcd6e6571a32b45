package dev.holdfast.web;

import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Who may use a port. Immutable.
 *
 * <p>Without tokens everybody on this machine may do everything, and the port must be on loopback
 * only.
 */
public final class Access {
  private static final int USUALLY_AT_ONCE = 8;

  private final List<AccessToken> tokens;
  private final @Nullable String person;
  private final LoginCookies cookies;
  private final int requestsPerMinute;
  private final int requestsAtOnce;

  private Access(
      List<AccessToken> tokens,
      @Nullable String person,
      LoginCookies cookies,
      int requestsPerMinute,
      int requestsAtOnce) {
    this.tokens = List.copyOf(tokens);
    this.person = person;
    this.cookies = cookies;
    this.requestsPerMinute = requestsPerMinute;
    this.requestsAtOnce = requestsAtOnce;
  }

  /**
   * For whoever is on this machine.
   *
   * @param person in whose name they act, if they do not say otherwise
   */
  public static Access ofThisMachine(String person) {
    LoginCookies none = new LoginCookies(() -> "", InstantSource.system());
    return new Access(List.of(), person, none, 0, USUALLY_AT_ONCE);
  }

  /**
   * For bearers of tokens.
   *
   * @param tokens not empty
   * @param secret signs the cookies of logins: the same for all consoles on one database; may throw
   *     {@link dev.holdfast.queue.QueueUnavailableException}
   */
  public static Access ofBearers(
      List<AccessToken> tokens, Supplier<String> secret, InstantSource clock) {
    if (tokens.isEmpty()) {
      throw new IllegalArgumentException("no tokens");
    }
    return new Access(tokens, null, new LoginCookies(secret, clock), 0, USUALLY_AT_ONCE);
  }

  /** With a bound on the requests of each visitor; 0 is none. */
  public Access limitedTo(int newRequestsPerMinute) {
    return new Access(tokens, person, cookies, newRequestsPerMinute, requestsAtOnce);
  }

  /** With a bound on the requests of all visitors that are answered at once. */
  public Access answeringAtOnce(int newRequestsAtOnce) {
    return new Access(tokens, person, cookies, requestsPerMinute, newRequestsAtOnce);
  }

  boolean needsToken() {
    return !tokens.isEmpty();
  }

  int requestsAtOnce() {
    return requestsAtOnce;
  }

  int requestsPerMinute() {
    return requestsPerMinute;
  }

  LoginCookies cookies() {
    return cookies;
  }

  List<AccessToken> tokens() {
    return tokens;
  }

  /** Whoever comes where no token is needed. */
  Visitor anybody() {
    return new Visitor(null, person == null ? "api" : person, Role.OPERATOR, "", false);
  }

  /** The token with this secret; compares with all of them, whichever it is. */
  Optional<AccessToken> bearing(String secret) {
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
