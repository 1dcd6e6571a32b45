package dev.holdfast.web.access;

import dev.holdfast.failure.Sha256;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A token that may be sent. Only its SHA-256 is kept. Immutable; its text form hides that, too.
 *
 * @param role the role of its owner; not {@link Role#ANYONE}
 * @param name the name of its owner; null where several share it, who then act under a name made
 *     from its hash
 * @param sha256 the hash of the token, 64 hexadecimal digits in lower case
 */
public record AccessToken(Role role, @Nullable String name, String sha256) {
  private static final int SHORT_ID = 6;

  /** Compares; takes the same time for every token. */
  boolean matches(byte[] hash) {
    return MessageDigest.isEqual(HexFormat.of().parseHex(sha256), hash);
  }

  /** Names the token without showing it. */
  public String id() {
    return Sha256.hex("token " + sha256, 8);
  }

  /** Returns in whose name its owner acts. */
  public String actor() {
    return name == null
        ? role.name().toLowerCase(Locale.ROOT) + "-" + id().substring(0, SHORT_ID)
        : name;
  }

  public Login login() {
    return new Login(id(), actor(), role);
  }

  public static byte[] hash(String secret) {
    return Sha256.of(secret);
  }

  @Override
  public String toString() {
    return "AccessToken[role=" + role + ", name=" + name + ", sha256=***]";
  }
}
