package dev.holdfast.web.access;

import dev.holdfast.failure.Sha256;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Logins that somebody else checks.
 *
 * @param proxy null where no proxy's word is taken
 * @param provider the name of where people log in, for the page; null where there is none
 * @param members who of them may do what
 */
public record OtherLogins(@Nullable ProxyLogin proxy, @Nullable String provider, Members members) {
  public static final OtherLogins NONE =
      new OtherLogins(null, null, new Members(List.of(), List.of()));

  /** Another one where who may come in has changed: what was let in before is over then. */
  String realm() {
    return Digests.base64url(Sha256.of("realm " + provider + " " + members));
  }
}
