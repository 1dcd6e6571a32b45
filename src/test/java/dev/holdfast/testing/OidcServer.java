package dev.holdfast.testing;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.text.ParseException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A provider of OpenID Connect over HTTP: discovery, the authorization code flow with PKCE, keys.
 * It logs in at once whom the test names, gives a token for each code once, and can make tokens
 * that nobody should take.
 */
public final class OidcServer implements AutoCloseable {
  public static final String CLIENT = "holdfast-console";
  public static final String SECRET = "the-secret-of-the-client";

  /** What is wrong with the next tokens. */
  public enum Flaw {
    NONE,
    NONCE,
    AUDIENCE,
    OTHER_PARTY,
    ISSUER,
    EXPIRED,
    NOT_YET,
    UNSIGNED,
    OTHER_KEY,
    SHARED_SECRET,
    ADDRESS_NOT_VERIFIED,
    NAME
  }

  /** Who is logged in at the provider. */
  public record Person(String email, List<String> groups) {}

  private record Grant(Person person, Map<String, String> request) {}

  private static final JWSHeader.Builder RS256 = new JWSHeader.Builder(JWSAlgorithm.RS256);

  /** Of no one: to make one takes a second of processor time, and on a busy machine too long. */
  private static final JWKSet KEYS = keys();

  private final HttpServer server;
  private volatile String keyId = "one";
  private final Map<String, Grant> codes = new ConcurrentHashMap<>();
  private volatile Person person = new Person("nobody@example.org", List.of());
  private volatile Flaw flaw = Flaw.NONE;
  private final AtomicInteger questions = new AtomicInteger();
  private volatile @Nullable CountDownLatch outage;

  private static JWKSet keys() {
    try (InputStream file = OidcServer.class.getResourceAsStream("oidc-keys.json")) {
      return JWKSet.load(file);
    } catch (IOException | ParseException e) {
      throw new AssertionError(e);
    }
  }

  private static RSAKey key(String id) {
    return KEYS.getKeyByKeyId(id).toRSAKey();
  }

  public OidcServer() {
    try {
      server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext("/.well-known/openid-configuration", this::settings);
    server.createContext("/keys", exchange -> answer(exchange, 200, new JWKSet(key()).toString()));
    server.createContext("/authorize", this::authorize);
    server.createContext("/token", this::token);
    server.start();
  }

  public String issuer() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  public void logsIn(Person next, Flaw nextFlaw) {
    person = next;
    flaw = nextFlaw;
  }

  /** Who asks for its settings from now on waits for {@code told} and is then told 503. */
  public void breaksDown(CountDownLatch told) {
    outage = told;
  }

  public void recovers() {
    outage = null;
  }

  /** How often its settings were asked for. */
  public int questions() {
    return questions.get();
  }

  /** From now on its tokens name a key that nobody has read before. */
  public void rotatesKeys() {
    keyId = UUID.randomUUID().toString();
  }

  private RSAKey key() {
    return new RSAKey.Builder(key("own")).keyID(keyId).build();
  }

  private void settings(HttpExchange exchange) throws IOException {
    questions.incrementAndGet();
    CountDownLatch told = outage;
    if (told != null) {
      await(told);
      answer(exchange, 503, "{}");
      return;
    }
    answer(
        exchange,
        200,
        """
        {"issuer": "%1$s", "authorization_endpoint": "%1$s/authorize", "token_endpoint": "%1$s/token",
         "jwks_uri": "%1$s/keys", "response_types_supported": ["code"],
         "subject_types_supported": ["public"], "code_challenge_methods_supported": ["S256"],
         "id_token_signing_alg_values_supported": ["RS256"]}
        """
            .formatted(issuer()));
  }

  private static void await(CountDownLatch told) {
    try {
      told.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private void authorize(HttpExchange exchange) throws IOException {
    Map<String, String> request = parameters(exchange.getRequestURI().getRawQuery());
    boolean right =
        CLIENT.equals(request.get("client_id"))
            && "code".equals(request.get("response_type"))
            && "S256".equals(request.get("code_challenge_method"))
            && Arrays.asList(String.valueOf(request.get("scope")).split(" ")).contains("openid");
    if (!right) {
      answer(exchange, 400, "{\"error\": \"invalid_request\"}");
      return;
    }
    String code = UUID.randomUUID().toString();
    codes.put(code, new Grant(person, request));
    exchange
        .getResponseHeaders()
        .set(
            "Location",
            request.get("redirect_uri") + "?code=" + code + "&state=" + request.get("state"));
    exchange.sendResponseHeaders(302, -1);
    exchange.close();
  }

  private void token(HttpExchange exchange) throws IOException {
    Map<String, String> request =
        parameters(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
    String basic =
        Base64.getEncoder()
            .encodeToString((CLIENT + ":" + SECRET).getBytes(StandardCharsets.UTF_8));
    Grant grant = codes.remove(String.valueOf(request.get("code")));
    if (!("Basic " + basic).equals(exchange.getRequestHeaders().getFirst("Authorization"))) {
      answer(exchange, 401, "{\"error\": \"invalid_client\"}");
    } else if (grant == null
        || !Objects.equals(grant.request().get("redirect_uri"), request.get("redirect_uri"))
        || !s256(String.valueOf(request.get("code_verifier")))
            .equals(grant.request().get("code_challenge"))) {
      answer(exchange, 400, "{\"error\": \"invalid_grant\", \"error_description\": \"no code\"}");
    } else {
      answer(
          exchange,
          200,
          "{\"access_token\": \"a\", \"token_type\": \"Bearer\", \"id_token\": \"%s\"}"
              .formatted(idToken(grant)));
    }
  }

  private String idToken(Grant grant) {
    Instant now = Instant.now();
    JWTClaimsSet claims =
        new JWTClaimsSet.Builder()
            .issuer(flaw == Flaw.ISSUER ? "http://127.0.0.1:1" : issuer())
            .subject("subject of " + grant.person().email())
            .audience(
                flaw == Flaw.AUDIENCE
                    ? List.of("another-client")
                    : List.of(CLIENT, "another-client"))
            .claim("azp", flaw == Flaw.OTHER_PARTY ? "another-client" : CLIENT)
            .notBeforeTime(Date.from(now.plus(Duration.ofMinutes(flaw == Flaw.NOT_YET ? 2 : -2))))
            .issueTime(Date.from(now.minus(Duration.ofHours(2))))
            .expirationTime(
                Date.from(
                    flaw == Flaw.EXPIRED
                        ? now.minus(Duration.ofHours(1))
                        : now.plus(Duration.ofMinutes(5))))
            .claim("nonce", flaw == Flaw.NONCE ? "another" : grant.request().get("nonce"))
            .claim("email", flaw == Flaw.NAME ? "ann, bob" : grant.person().email())
            .claim("email_verified", flaw != Flaw.ADDRESS_NOT_VERIFIED)
            .claim("groups", grant.person().groups())
            .build();
    try {
      return switch (flaw) {
        case UNSIGNED -> new PlainJWT(claims).serialize();
        case SHARED_SECRET -> {
          SignedJWT token =
              new SignedJWT(new JWSHeader.Builder(JWSAlgorithm.HS256).keyID(keyId).build(), claims);
          token.sign(new MACSigner(key().toRSAPublicKey().getEncoded()));
          yield token.serialize();
        }
        default -> {
          SignedJWT token = new SignedJWT(RS256.keyID(keyId).build(), claims);
          token.sign(new RSASSASigner(flaw == Flaw.OTHER_KEY ? key("other") : key()));
          yield token.serialize();
        }
      };
    } catch (JOSEException e) {
      throw new AssertionError(e);
    }
  }

  private static String s256(String verifier) {
    try {
      return Base64.getUrlEncoder()
          .withoutPadding()
          .encodeToString(
              MessageDigest.getInstance("SHA-256")
                  .digest(verifier.getBytes(StandardCharsets.US_ASCII)));
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  private static Map<String, String> parameters(String text) {
    return Arrays.stream(text.split("&"))
        .map(pair -> pair.split("=", 2))
        .collect(
            Collectors.toMap(
                pair -> pair[0], pair -> URLDecoder.decode(pair[1], StandardCharsets.UTF_8)));
  }

  private static void answer(HttpExchange exchange, int status, String json) throws IOException {
    byte[] body = json.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(status, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  /** Where a console that nobody can reach by this name says that it is. */
  public static URI console() {
    return URI.create("http://console.example/");
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
