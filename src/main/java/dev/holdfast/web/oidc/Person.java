package dev.holdfast.web.oidc;

import com.nimbusds.jwt.JWTClaimsSet;
import dev.holdfast.web.Refused;
import dev.holdfast.web.access.Members;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The person that an ID token names.
 *
 * @param groups the groups in the token's claim
 */
record Person(String name, List<String> groups) {
  private static final String EMAIL = "email";

  /**
   * Reads the person.
   *
   * @throws Refused if it names nobody, or by an address that may be somebody else's
   */
  static Person of(JWTClaimsSet claims, OidcClient client) {
    if (!(claims.getClaim(client.nameClaim()) instanceof String name) || !Members.isName(name)) {
      throw new Refused(
          403,
          "the ID token's claim "
              + client.nameClaim()
              + " is no name of at most 200 plain letters, digits and ._@+:/\\=' -; choose another"
              + " one with web.auth.oidc-name-claim");
    }
    if (client.nameClaim().equals(EMAIL)
        && !Boolean.TRUE.equals(claims.getClaim("email_verified"))) {
      throw new Refused(
          403,
          "the provider does not say that the address is verified (email_verified), so it may be"
              + " anybody's; choose another claim with web.auth.oidc-name-claim");
    }
    return new Person(name, groups(claims.getClaim(client.groupsClaim())));
  }

  private static List<String> groups(@Nullable Object claim) {
    return switch (claim) {
      case String one -> List.of(one);
      case Collection<?> many ->
          many.stream().filter(String.class::isInstance).map(String.class::cast).toList();
      case null, default -> List.of();
    };
  }
}
