package dev.holdfast.web.access;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The cookie of a login: whose token it was, and until when; signed, so that it cannot be made or
 * changed without the key. Nothing is kept here: a login lasts over restarts and for every console
 * on the database, until its time is over or its token is no longer configured. Thread-safe.
 */
public final class LoginCookies {
  public static final String NAME = "holdfast";
  public static final Duration LIFETIME = Duration.ofHours(12);
  private static final int LONGEST = 1000;

  private final Supplier<String> secret;
  private final InstantSource clock;

  /**
   * @param secret of the signature; asked for each time
   */
  LoginCookies(Supplier<String> secret, InstantSource clock) {
    this.secret = secret;
    this.clock = clock;
  }

  public String issue(AccessToken token) {
    long end = clock.instant().plus(LIFETIME).getEpochSecond();
    String content = token.id() + "." + end;
    return content + "." + signature("login " + content);
  }

  /**
   * The token that was logged in with. Empty for what was forged or changed, is too old, or belongs
   * to a token that is no more.
   */
  public Optional<AccessToken> read(String cookie, List<AccessToken> tokens) {
    int dot = cookie.lastIndexOf('.');
    if (dot < 0 || cookie.length() > LONGEST) {
      return Optional.empty();
    }
    String content = cookie.substring(0, dot);
    if (!Digests.areEqual(cookie.substring(dot + 1), signature("login " + content))) {
      return Optional.empty();
    }
    String[] parts = content.split("\\.", -1);
    if (parts.length != 2) {
      return Optional.empty(); // of an earlier version of this program
    }
    if (Long.parseLong(parts[1]) < clock.instant().getEpochSecond()) {
      return Optional.empty();
    }
    return tokens.stream().filter(token -> token.id().equals(parts[0])).findFirst();
  }

  /** Goes with this cookie and no other. */
  public String csrfToken(String cookie) {
    return signature("csrf " + cookie);
  }

  private String signature(String content) {
    return Digests.base64url(Digests.hmac(secret.get().getBytes(UTF8), content));
  }

  private static final java.nio.charset.Charset UTF8 = StandardCharsets.UTF_8;
}
