package dev.holdfast.web.access;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The cookie of a login. It says whose token it was, or whom a provider has named, and until when.
 * It is signed, so that it cannot be made or changed without the key. Nothing is kept here: a login
 * lasts over restarts and for every console on the database, until its time is over, or its token
 * or the list of who may come in is no longer configured. Thread-safe.
 */
public final class LoginCookies {
  public static final Duration LIFETIME = Duration.ofHours(12);
  private static final int LONGEST = 2000;
  private static final String MEMBER = "member";

  private final Supplier<String> secret;
  private final Supplier<String> owner;
  private final InstantSource clock;

  /**
   * @param secret the secret of the signature; asked for each time
   * @param owner what distinguishes this console's cookie from others', over restarts; asked for
   *     each time
   */
  LoginCookies(Supplier<String> secret, Supplier<String> owner, InstantSource clock) {
    this.secret = secret;
    this.owner = owner;
    this.clock = clock;
  }

  /**
   * Returns the cookie's name. Browsers send a cookie to every port of a host, so each console
   * there needs a name of its own.
   */
  public String name() {
    return "holdfast-" + signature(owner.get(), "the name of a cookie").substring(0, 6);
  }

  /** Returns the cookie among those that a browser sent; null where there is none. */
  public @Nullable String among(Map<String, String> sent) {
    return sent.isEmpty() ? null : sent.get(name());
  }

  public String issue(AccessToken token) {
    return signed("login", token.id() + "." + end(LIFETIME));
  }

  /** Makes a cookie for somebody whom a provider has named. */
  public String issue(String name, Role role, OtherLogins logins) {
    String person = Base64.getUrlEncoder().withoutPadding().encodeToString(name.getBytes(UTF8));
    return signed(
        "login", String.join(".", MEMBER, person, role.name(), logins.realm(), "" + end(LIFETIME)));
  }

  /**
   * Reads who was logged in. Empty for a cookie that was forged or changed, is too old, or belongs
   * to a token that is no more.
   */
  public Optional<Login> read(String cookie, Access access) {
    return verified("login", cookie).flatMap(content -> login(content.split("\\.", -1), access));
  }

  private Optional<Login> login(String[] parts, Access access) {
    if (isOver(parts[parts.length - 1])) {
      return Optional.empty();
    }
    if (parts.length == 2) {
      return access.tokens().stream()
          .filter(token -> token.id().equals(parts[0]))
          .findFirst()
          .map(AccessToken::login);
    }
    boolean known =
        parts.length == 5 && parts[0].equals(MEMBER) && parts[3].equals(access.others().realm());
    if (!known) {
      return Optional.empty(); // of another configuration, or version of this program
    }
    String name = new String(Base64.getUrlDecoder().decode(parts[1]), UTF8);
    return Optional.of(login(name, Role.valueOf(parts[2])));
  }

  /** Returns the login of somebody whom a provider has named. */
  public static Login login(String name, Role role) {
    return new Login(MEMBER + " " + name, name, role);
  }

  /** Returns the token that belongs to this cookie and no other. */
  public String csrfToken(String cookie) {
    return signature("csrf " + cookie);
  }

  /** Returns the end of this time from now, in seconds since 1970. */
  public long end(Duration lifetime) {
    return clock.instant().plus(lifetime).getEpochSecond();
  }

  /** Returns true if this end, from a verified text, is past. */
  public boolean isOver(String end) {
    return Long.parseLong(end) < clock.instant().getEpochSecond();
  }

  /**
   * Signs a text, so that only this program can have written it.
   *
   * @param purpose a word; a text for one purpose is not valid for another
   */
  public String signed(String purpose, String content) {
    return content + "." + signature(purpose + " " + content);
  }

  /** Returns the content of what {@link #signed} gave; empty for anything else. */
  public Optional<String> verified(String purpose, String text) {
    int dot = text.lastIndexOf('.');
    if (dot < 0 || text.length() > LONGEST) {
      return Optional.empty();
    }
    String content = text.substring(0, dot);
    return Digests.areEqual(text.substring(dot + 1), signature(purpose + " " + content))
        ? Optional.of(content)
        : Optional.empty();
  }

  private String signature(String content) {
    return signature(secret.get(), content);
  }

  private static String signature(String key, String content) {
    return Digests.base64url(Digests.hmac(key.getBytes(UTF8), content));
  }

  private static final java.nio.charset.Charset UTF8 = StandardCharsets.UTF_8;
}
