package dev.holdfast.web.oidc;

import com.nimbusds.oauth2.sdk.id.State;
import com.nimbusds.oauth2.sdk.pkce.CodeVerifier;
import com.nimbusds.openid.connect.sdk.Nonce;
import dev.holdfast.web.access.LoginCookies;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A login that has begun in a browser. The browser keeps it in a signed cookie until the provider
 * sends it back: nobody can end in one browser what began in another.
 *
 * @param state what the provider must send back
 * @param nonce what the ID token must have
 * @param verifier proves to the provider that the one who asks for the token began the login
 * @param next where to go afterwards: a path of this server
 */
record LoginAttempt(State state, Nonce nonce, CodeVerifier verifier, String next) {
  /**
   * The prefix of the cookies. Tabs log in at the same time, each with its own cookie. There are
   * only few, because headers are limited.
   */
  private static final String COOKIE = "holdfast-login-";

  private static final int MOST_AT_ONCE = 4;
  private static final Pattern MARK = Pattern.compile("([A-Za-z0-9_-]{8})[A-Za-z0-9_-]*");
  static final Duration LIFETIME = Duration.ofMinutes(10);
  private static final String PURPOSE = "oidc";
  private static final int PARTS = 5;
  private static final int LONGEST_NEXT = 1_300;

  /** Makes an attempt. It leads to the start page where the address is too long for a cookie. */
  static LoginAttempt to(String next) {
    return new LoginAttempt(
        new State(), new Nonce(), new CodeVerifier(), next.length() > LONGEST_NEXT ? "/" : next);
  }

  /** Returns the name of the cookie of the attempt with this state; empty where there is none. */
  static Optional<String> cookieName(@Nullable State state) {
    Matcher mark = MARK.matcher(state == null ? "" : state.getValue());
    return mark.matches() ? Optional.of(COOKIE + mark.group(1)) : Optional.empty();
  }

  /** Returns the cookies of older attempts that must be removed before one more begins. */
  static Set<String> tooMany(Set<String> cookieNames) {
    Set<String> attempts =
        cookieNames.stream()
            .filter(name -> name.startsWith(COOKIE))
            .collect(Collectors.toUnmodifiableSet());
    return attempts.size() < MOST_AT_ONCE ? Set.of() : attempts;
  }

  String cookie(LoginCookies cookies) {
    String page =
        Base64.getUrlEncoder()
            .withoutPadding()
            .encodeToString(next.getBytes(StandardCharsets.US_ASCII));
    return cookies.signed(
        PURPOSE,
        String.join(
            ".",
            state.getValue(),
            nonce.getValue(),
            verifier.getValue(),
            page,
            "" + cookies.end(LIFETIME)));
  }

  /** Reads an attempt; empty for a cookie that was forged or changed, or is too old. */
  static Optional<LoginAttempt> read(String cookie, LoginCookies cookies) {
    return cookies
        .verified(PURPOSE, cookie)
        .map(content -> content.split("\\.", -1))
        .filter(parts -> parts.length == PARTS && !cookies.isOver(parts[PARTS - 1]))
        .map(
            parts ->
                new LoginAttempt(
                    new State(parts[0]),
                    new Nonce(parts[1]),
                    new CodeVerifier(parts[2]),
                    new String(
                        Base64.getUrlDecoder().decode(parts[3]), StandardCharsets.US_ASCII)));
  }
}
