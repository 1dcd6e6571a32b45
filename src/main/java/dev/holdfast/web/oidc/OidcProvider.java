package dev.holdfast.web.oidc;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.jwk.source.JWKSourceBuilder;
import com.nimbusds.jose.jwk.source.RateLimitReachedException;
import com.nimbusds.jose.proc.BadJOSEException;
import com.nimbusds.jose.proc.JWSVerificationKeySelector;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jose.util.DefaultResourceRetriever;
import com.nimbusds.jwt.JWT;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.proc.BadJWTException;
import com.nimbusds.jwt.proc.DefaultJWTProcessor;
import com.nimbusds.jwt.util.DateUtils;
import com.nimbusds.oauth2.sdk.AuthorizationCode;
import com.nimbusds.oauth2.sdk.AuthorizationCodeGrant;
import com.nimbusds.oauth2.sdk.ErrorObject;
import com.nimbusds.oauth2.sdk.GeneralException;
import com.nimbusds.oauth2.sdk.ResponseType;
import com.nimbusds.oauth2.sdk.Scope;
import com.nimbusds.oauth2.sdk.TokenRequest;
import com.nimbusds.oauth2.sdk.TokenResponse;
import com.nimbusds.oauth2.sdk.auth.ClientAuthenticationMethod;
import com.nimbusds.oauth2.sdk.auth.ClientSecretBasic;
import com.nimbusds.oauth2.sdk.auth.ClientSecretPost;
import com.nimbusds.oauth2.sdk.auth.Secret;
import com.nimbusds.oauth2.sdk.http.HTTPRequest;
import com.nimbusds.oauth2.sdk.http.HTTPResponse;
import com.nimbusds.oauth2.sdk.id.ClientID;
import com.nimbusds.oauth2.sdk.id.Issuer;
import com.nimbusds.oauth2.sdk.pkce.CodeChallengeMethod;
import com.nimbusds.openid.connect.sdk.AuthenticationRequest;
import com.nimbusds.openid.connect.sdk.OIDCTokenResponse;
import com.nimbusds.openid.connect.sdk.OIDCTokenResponseParser;
import com.nimbusds.openid.connect.sdk.op.OIDCProviderMetadata;
import com.nimbusds.openid.connect.sdk.validators.IDTokenClaimsVerifier;
import dev.holdfast.web.Refused;
import java.io.IOException;
import java.net.URI;
import java.net.URL;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Date;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the provider and reads its answers, with the Nimbus library. The provider's settings and
 * keys are read when they are first needed, so that a worker starts without it. Thread-safe.
 */
final class OidcProvider {
  private static final int CONNECT_MILLIS = 3_000;
  private static final int READ_MILLIS = 5_000;
  private static final int MOST_BYTES_OF_KEYS = 200_000;
  private static final int CLOCK_SKEW_SECONDS = 30;
  private static final int FAULT = 500;
  private static final Duration SETTINGS_KEPT = Duration.ofMinutes(10);
  private static final Duration FAILURE_KEPT = Duration.ofSeconds(10);
  private static final Logger log = LoggerFactory.getLogger(OidcProvider.class);

  /**
   * The algorithms that sign with a private key. With a shared key, everybody who may check a token
   * could also make one.
   */
  private static final Set<JWSAlgorithm> ALGORITHMS =
      Set.of(
          JWSAlgorithm.RS256,
          JWSAlgorithm.RS384,
          JWSAlgorithm.RS512,
          JWSAlgorithm.PS256,
          JWSAlgorithm.PS384,
          JWSAlgorithm.PS512,
          JWSAlgorithm.ES256,
          JWSAlgorithm.ES384,
          JWSAlgorithm.ES512);

  private record Known(OIDCProviderMetadata settings, JWKSource<SecurityContext> keys) {}

  private final OidcClient client;
  private final InstantSource clock;

  /** The lock of the one who asks for the settings; it guards the four fields below. */
  private final ReentrantLock asking = new ReentrantLock();

  private @Nullable Known known;
  private @Nullable Refused failure;
  private Instant askAgain = Instant.EPOCH;
  private Duration kept = Duration.ZERO;

  OidcProvider(OidcClient client, InstantSource clock) {
    this.client = client;
    this.clock = clock;
  }

  /** Returns the address that the browser is sent to for logging in. */
  URI login(LoginAttempt attempt) {
    return new AuthenticationRequest.Builder(
            ResponseType.CODE,
            new Scope(client.scopes().toArray(String[]::new)),
            new ClientID(client.id()),
            client.callback())
        .endpointURI(known().settings().getAuthorizationEndpointURI())
        .state(attempt.state())
        .nonce(attempt.nonce())
        .codeChallenge(attempt.verifier(), CodeChallengeMethod.S256)
        .build()
        .toURI();
  }

  /**
   * Returns the claims of the ID token that the code is given for.
   *
   * @throws Refused if the provider gives none, or one that cannot be accepted
   */
  @SuppressWarnings("unchecked") // the library's verifier says for no context what it is for any
  JWTClaimsSet claims(AuthorizationCode code, LoginAttempt attempt) {
    Known provider = known();
    JWT token = token(provider.settings(), code, attempt);
    DefaultJWTProcessor<SecurityContext> processor = new DefaultJWTProcessor<>();
    processor.setJWSKeySelector(new JWSVerificationKeySelector<>(ALGORITHMS, provider.keys()));
    IDTokenClaimsVerifier verifier =
        new IDTokenClaimsVerifier(
            new Issuer(client.issuer()),
            new ClientID(client.id()),
            attempt.nonce(),
            CLOCK_SKEW_SECONDS);
    processor.setJWTClaimsSetVerifier(
        (claims, context) -> {
          verifier.verify(claims, context);
          requireForUs(claims);
        });
    try {
      return processor.process(token, null);
    } catch (RateLimitReachedException e) { // it has no message
      throw refused(
          "its ID token names a key that the provider did not have just now; try again in half a"
              + " minute");
    } catch (BadJOSEException | JOSEException e) {
      throw refused("its ID token is not taken: " + e.getMessage());
    }
  }

  /** Checks what the library's verifier leaves out. */
  private void requireForUs(JWTClaimsSet claims) throws BadJWTException {
    Object party = claims.getClaim("azp");
    if (party != null && !party.equals(client.id())) {
      throw new BadJWTException("it was issued to another client (azp)");
    }
    Date start = claims.getNotBeforeTime();
    if (start != null
        && !DateUtils.isBefore(start, Date.from(clock.instant()), CLOCK_SKEW_SECONDS)) {
      throw new BadJWTException("it is not valid yet (nbf)");
    }
  }

  private JWT token(OIDCProviderMetadata settings, AuthorizationCode code, LoginAttempt attempt) {
    AuthorizationCodeGrant grant =
        new AuthorizationCodeGrant(code, client.callback(), attempt.verifier());
    HTTPRequest request = request(settings, grant).toHTTPRequest();
    request.setConnectTimeout(CONNECT_MILLIS);
    request.setReadTimeout(READ_MILLIS);
    request.setFollowRedirects(false);
    try {
      HTTPResponse sent = request.send();
      if (sent.getStatusCode() >= FAULT) {
        throw unreachable("HTTP " + sent.getStatusCode());
      }
      TokenResponse answer = OIDCTokenResponseParser.parse(sent);
      if (answer instanceof OIDCTokenResponse tokens
          && tokens.getOIDCTokens().getIDToken() != null) {
        return tokens.getOIDCTokens().getIDToken();
      }
      throw refused(
          answer.indicatesSuccess()
              ? "it sent no ID token"
              : "it gives no token for this login: "
                  + words(answer.toErrorResponse().getErrorObject()));
    } catch (GeneralException e) {
      throw refused("its answer cannot be read: " + e.getMessage());
    } catch (IOException e) {
      throw unreachable(e.getMessage());
    }
  }

  private TokenRequest request(OIDCProviderMetadata settings, AuthorizationCodeGrant grant) {
    URI endpoint = settings.getTokenEndpointURI();
    ClientID id = new ClientID(client.id());
    if (client.secret() == null) {
      return new TokenRequest.Builder(endpoint, id, grant).build();
    }
    Secret secret = new Secret(client.secret());
    List<ClientAuthenticationMethod> methods = settings.getTokenEndpointAuthMethods();
    boolean basic =
        methods == null || methods.contains(ClientAuthenticationMethod.CLIENT_SECRET_BASIC);
    return new TokenRequest.Builder(
            endpoint,
            basic ? new ClientSecretBasic(id, secret) : new ClientSecretPost(id, secret),
            grant)
        .build();
  }

  static String words(@Nullable ErrorObject error) {
    if (error == null) {
      return "an error without a name";
    }
    return error.getDescription() == null
        ? String.valueOf(error.getCode())
        : error.getCode() + " (" + error.getDescription() + ")";
  }

  /**
   * Returns the provider's last settings. Those who come while it is asked wait for that answer.
   */
  private Known known() {
    asking.lock();
    try {
      Instant now = clock.instant();
      // A clock that was ahead and is set back must not leave the provider alone for that long,
      // either.
      if (!now.isBefore(askAgain) || now.isBefore(askAgain.minus(kept))) {
        ask();
      }
      if (known == null) {
        throw Objects.requireNonNull(failure);
      }
      return known;
    } finally {
      asking.unlock();
    }
  }

  /**
   * Asks the provider. One that fails is left alone for some seconds, and its last settings stay in
   * use.
   */
  private void ask() {
    try {
      known = read();
      keepFor(SETTINGS_KEPT);
    } catch (Refused e) {
      failure = e;
      keepFor(FAILURE_KEPT);
      if (known != null) {
        log.warn("the provider's settings are used as they were: {}", e.getMessage());
      }
    }
  }

  private void keepFor(Duration time) {
    kept = time;
    askAgain = clock.instant().plus(time);
  }

  private Known read() {
    try {
      OIDCProviderMetadata settings =
          OIDCProviderMetadata.resolve(new Issuer(client.issuer()), CONNECT_MILLIS, READ_MILLIS);
      URL keys = settings.getJWKSetURI().toURL();
      return new Known(
          settings,
          JWKSourceBuilder.<SecurityContext>create(
                  keys,
                  new DefaultResourceRetriever(CONNECT_MILLIS, READ_MILLIS, MOST_BYTES_OF_KEYS))
              .build());
    } catch (GeneralException e) {
      throw refused("its settings cannot be used: " + e.getMessage());
    } catch (IOException e) {
      throw unreachable(e.getMessage());
    }
  }

  private Refused refused(String why) {
    return new Refused(403, "the login at " + client.issuer() + " failed: " + why);
  }

  private Refused unreachable(@Nullable String why) {
    return new Refused(
        503, client.issuer() + " cannot be reached just now (" + why + "); try again");
  }
}
