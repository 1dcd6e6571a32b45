package dev.holdfast.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.OidcServer;
import dev.holdfast.testing.OidcServer.Flaw;
import dev.holdfast.testing.OidcServer.Person;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** People whom a proxy or a provider of OpenID Connect has logged in, at a real worker. */
@WithDatabase
@Tag("slow")
class LoginsIT {
  private static final String PROXY_SECRET = "only-the-proxy-knows-this";
  private static final Person ANN = new Person("ann@example.org", List.of("staff", "ops"));
  private static final Person BOB = new Person("bob@example.org", List.of("staff"));
  private static final String SESSION = "holdfast-[\\w-]{6}=.+";
  private static final Pattern CSRF = Pattern.compile("name=\"_csrf\" value=\"([^\"]+)\"");

  @Test
  @EnabledOnOs(OS.LINUX) // any address of 127.0.0.0/8 is the machine's own
  @DisplayName(
      "a provider's and a proxy's word lets people in under their name and role; what is forged,"
          + " doubled, replayed or from elsewhere is refused and said why")
  void logins(TestDatabase database, @TempDir Path directory) throws Exception {
    TicketRows rows = new TicketRows(database.dataSource());
    try (OidcServer provider = new OidcServer();
        Installation holdfast = Installation.on(database, directory);
        HttpClient direct = HttpClient.newHttpClient();
        HttpClient behindProxy =
            HttpClient.newBuilder().localAddress(InetAddress.ofLiteral("127.0.0.2")).build()) {
      HoldfastProcess worker =
          holdfast
              .with("HOLDFAST_WEB_AUTH_OIDC_ISSUER", provider.issuer())
              .with("HOLDFAST_WEB_AUTH_OIDC_CLIENT_ID", OidcServer.CLIENT)
              .with("HOLDFAST_WEB_AUTH_OIDC_CLIENT_SECRET", OidcServer.SECRET)
              .with("HOLDFAST_WEBHOOKS_CONSOLE_URL", OidcServer.console().toString())
              .with("HOLDFAST_WEB_AUTH_VIEWERS", "@staff")
              .with("HOLDFAST_WEB_AUTH_OPERATORS", "@ops,root@example.org")
              .with("HOLDFAST_WEB_AUTH_PROXY_HEADER", "X-Forwarded-User")
              .with("HOLDFAST_WEB_AUTH_PROXY_GROUPS_HEADER", "X-Forwarded-Groups")
              .with("HOLDFAST_WEB_AUTH_PROXY_ADDRESSES", "127.0.0.2")
              .with("HOLDFAST_WEB_AUTH_PROXY_SECRET", PROXY_SECRET)
              .start("worker", "--port", "0")
              .awaitListening();
      Visit visit = new Visit(direct, worker.address());
      theirWord(visit, provider, rows);
      flaws(visit, provider);
      replays(visit, provider);
      longWay(visit, provider);
      rotations(visit, provider);
      proxysWord(new Visit(behindProxy, worker.address()), visit, rows);
    }
  }

  private static void theirWord(Visit visit, OidcServer provider, TicketRows rows)
      throws Exception {
    assertThat(visit.get("/inbox", "Accept", "text/html").headers().firstValue("Location"))
        .hasValue("/login?next=%2Finbox");
    assertThat(visit.get("/login?next=%2Finbox").body())
        .contains("Log in with 127.0.0.1")
        .doesNotContain("name=\"token\"");

    provider.logsIn(ANN, Flaw.NONE);
    HttpResponse<String> entered = visit.logIn("/tickets?state=done");
    assertThat(entered.statusCode()).as(entered.body()).isEqualTo(303);
    assertThat(entered.headers().firstValue("Location")).hasValue("/tickets?state=done");
    String session = visit.session(entered);
    HttpResponse<String> page = visit.get("/tickets", "Cookie", session);
    assertThat(page.body()).contains("ann@example.org").doesNotContain(">viewer<");
    long id = Long.parseLong(rows.value(WAITING));
    String cancel = "/api/v1/tickets/" + id + "/cancel";
    assertThat(visit.post(cancel, "Cookie", session).statusCode()).isEqualTo(403);
    assertThat(visit.post(cancel, "Cookie", session, "X-CSRF-Token", csrf(page)).statusCode())
        .isEqualTo(200);
    assertThat(rows.value(CANCELLED_BY, id)).isEqualTo("ann@example.org api");

    provider.logsIn(BOB, Flaw.NONE);
    String viewer = visit.session(visit.logIn("https://evil.example/"));
    assertThat(visit.get("/tickets", "Cookie", viewer).body()).contains(">viewer<");
    assertThat(
            visit
                .post(
                    cancel,
                    "Cookie",
                    viewer,
                    "X-CSRF-Token",
                    csrf(visit.get("/tickets", "Cookie", viewer)))
                .statusCode())
        .isEqualTo(403);
    provider.logsIn(new Person("eve@example.org", List.of("guests")), Flaw.NONE);
    assertThat(visit.logIn("/").body()).contains("eve@example.org may not come in");
    assertThat(visit.get("/tickets", "Cookie", session + "x").statusCode()).isEqualTo(401);
  }

  private static void flaws(Visit visit, OidcServer provider) throws Exception {
    for (Flaw flaw : Flaw.values()) {
      provider.logsIn(ANN, flaw);
      HttpResponse<String> answer = visit.logIn("//evil.example/");
      if (flaw == Flaw.NONE) {
        assertThat(answer.headers().firstValue("Location")).hasValue("/");
      } else {
        assertThat(answer.statusCode()).as("%s", flaw).isEqualTo(403);
        assertThat(answer.headers().allValues("Set-Cookie"))
            .as("%s", flaw)
            .noneMatch(cookie -> cookie.matches(SESSION));
        assertThat(answer.body())
            .as("%s", flaw)
            .containsPattern(
                switch (flaw) {
                  case NONCE -> "not taken: .*nonce";
                  case AUDIENCE -> "not taken: .*aud";
                  case OTHER_PARTY -> "not taken: it was issued to another client .azp.";
                  case NOT_YET -> "not taken: it is not valid yet .nbf.";
                  case ISSUER -> "not taken: .*iss";
                  case EXPIRED -> "not taken: (?i).*expired";
                  case UNSIGNED -> "not taken: .*Unsecured";
                  case OTHER_KEY -> "not taken: .*[Ii]nvalid signature";
                  case SHARED_SECRET -> "not taken: .*(algorithm|key)";
                  case ADDRESS_NOT_VERIFIED -> "email_verified";
                  default -> "claim email is no name";
                });
      }
    }
  }

  private static void replays(Visit visit, OidcServer provider) throws Exception {
    provider.logsIn(ANN, Flaw.NONE);
    HttpResponse<String> begun = visit.get("/login/oidc");
    String attempt = cookie(begun, "holdfast-login-");
    URI back = visit.atProvider(begun);
    String callback = back.getRawPath() + "?" + back.getRawQuery();
    assertThat(visit.get(callback).body()).contains("no login has begun in this browser");
    assertThat(visit.get(callback, "Cookie", attempt + "x").body()).contains("no login has begun");
    String other = cookie(visit.get("/login/oidc"), "holdfast-login-");
    assertThat(visit.get(callback, "Cookie", other).body()).contains("no login has begun");
    String mixed = attempt.replaceFirst("=.*", "=") + other.replaceFirst(".*?=", "");
    assertThat(visit.get(callback, "Cookie", mixed).body()).contains("its state is another");
    assertThat(visit.get(callback + "&state=x", "Cookie", attempt).body()).contains("no answer");
    assertThat(visit.get(callback, "Cookie", attempt).statusCode()).isEqualTo(303);
    assertThat(visit.get(callback, "Cookie", attempt).body()).contains("has ended before");

    HttpResponse<String> again = visit.get("/login/oidc");
    String state = visit.atProvider(again).getRawQuery().replaceFirst(".*state=", "state=");
    String used = back.getRawQuery().replaceFirst("&state=.*", "&" + state);
    assertThat(
            visit
                .get("/login/oidc/callback?" + used, "Cookie", cookie(again, "holdfast-login-"))
                .body())
        .contains("invalid_grant");
    HttpResponse<String> refused = visit.get("/login/oidc");
    String denied =
        "error=access_denied&error_description=%3Cb%3Eno%3C%2Fb%3E&"
            + visit.atProvider(refused).getRawQuery().replaceFirst(".*state=", "state=");
    assertThat(
            visit
                .get("/login/oidc/callback?" + denied, "Cookie", cookie(refused, "holdfast-login-"))
                .body())
        .contains("access_denied (&lt;b&gt;no");
  }

  private static void longWay(Visit visit, OidcServer provider) throws Exception {
    provider.logsIn(ANN, Flaw.NONE);
    String page = "/tickets?q=" + "x".repeat(1_000);
    assertThat(visit.logIn(page).headers().firstValue("Location")).hasValue(page);
    assertThat(visit.logIn(page + "x".repeat(1_000)).headers().firstValue("Location"))
        .hasValue("/");
  }

  private static void rotations(Visit visit, OidcServer provider) throws Exception {
    provider.rotatesKeys();
    assertThat(visit.logIn("/").statusCode()).isEqualTo(303);
    provider.rotatesKeys();
    HttpResponse<String> tooSoon = visit.logIn("/");
    assertThat(tooSoon.statusCode()).isEqualTo(403);
    assertThat(tooSoon.body())
        .contains("its ID token names a key that the provider did not have just now")
        .doesNotContain("null");
  }

  private static void proxysWord(Visit proxy, Visit anybody, TicketRows rows) throws Exception {
    String[] ann = {
      "X-Forwarded-User", "ann", "X-Forwarded-Groups", "guests, ops", SECRET, PROXY_SECRET
    };
    HttpResponse<String> page = proxy.get("/tickets", ann);
    assertThat(page.body()).contains(">ann<").doesNotContain("Log out");
    long id = Long.parseLong(rows.value(WAITING));
    String cancel = "/api/v1/tickets/" + id + "/cancel";
    assertThat(proxy.post(cancel, ann).statusCode()).isEqualTo(403);
    assertThat(proxy.post(cancel, with(ann, "X-CSRF-Token", csrf(page))).statusCode())
        .isEqualTo(200);
    assertThat(rows.value(CANCELLED_BY, id)).isEqualTo("ann api");
    // A proxy that asks for passwords passes them on.
    assertThat(proxy.status(with(ann, "Authorization", "Basic YTpi"))).isEqualTo(200);
    assertThat(proxy.status(with(ann, "Authorization", "Bearer wrong"))).isEqualTo(401);

    assertThat(anybody.get(TICKETS, ann).statusCode()).isEqualTo(403);
    assertThat(anybody.get(TICKETS, ann).body()).contains("not taken from 127.0.0.1");
    assertThat(proxy.get(TICKETS, "X-Forwarded-User", "ann").body()).contains(SECRET);
    String[] wrong = {"X-Forwarded-User", "ann", SECRET, "only-the-proxy-knows-thiS"};
    assertThat(proxy.status(wrong)).isEqualTo(403);
    assertThat(proxy.status(with(ann, SECRET, PROXY_SECRET))).isEqualTo(403);
    assertThat(proxy.status(with(ann, "X-Forwarded-User", "root@example.org"))).isEqualTo(403);
    assertThat(proxy.status(with(ann, "X-Forwarded-Groups", "ops"))).isEqualTo(403);
    String[] bob = {"X-Forwarded-User", "bob", "X-Forwarded-Groups", "staff", SECRET, PROXY_SECRET};
    assertThat(proxy.status(bob)).isEqualTo(200);
    assertThat(proxy.post(cancel, bob).statusCode()).isEqualTo(403);
    for (String name : List.of("ann,root@example.org", "\u00e4nn", "@ops", "*", "a b ", "a\tb")) {
      String[] strange = {"X-Forwarded-User", name, SECRET, PROXY_SECRET};
      assertThat(proxy.status(strange)).as(name).isEqualTo(403);
    }
    for (String lookalike : List.of("X_Forwarded_User", "X-Forwarded-User-", "X-Forwarded-Use")) {
      String[] other = {lookalike, "root@example.org", SECRET, PROXY_SECRET};
      assertThat(proxy.status(other)).as(lookalike).isEqualTo(401);
    }
  }

  private static final String TICKETS = "/api/v1/tickets";
  private static final String SECRET = "X-Holdfast-Proxy-Secret";
  private static final String WAITING =
      "INSERT INTO holdfast.tickets (kind) VALUES ('nobody-works-it') RETURNING id";
  private static final String CANCELLED_BY =
      "SELECT actor || ' ' || channel FROM holdfast.ticket_activity WHERE ticket_id = ? AND action"
          + " = 'cancelled'";

  private static String[] with(String[] headers, String name, String value) {
    String[] all = java.util.Arrays.copyOf(headers, headers.length + 2);
    all[headers.length] = name;
    all[headers.length + 1] = value;
    return all;
  }

  private static String csrf(HttpResponse<String> page) {
    Matcher found = CSRF.matcher(page.body());
    assertThat(found.find()).as(page.body()).isTrue();
    return found.group(1);
  }

  private static String cookie(HttpResponse<String> answer, String start) {
    return answer.headers().allValues("Set-Cookie").stream()
        .filter(each -> each.startsWith(start))
        .findFirst()
        .orElseThrow(() -> new AssertionError(answer.body()))
        .replaceFirst(";.*", "");
  }

  /** Somebody who comes to the worker from one address. */
  private record Visit(HttpClient http, URI worker) {
    HttpResponse<String> get(String path, String... headers) throws Exception {
      return send(HttpRequest.newBuilder(at(path)), headers);
    }

    HttpResponse<String> post(String path, String... headers) throws Exception {
      return send(
          HttpRequest.newBuilder(at(path))
              .header("Content-Type", "application/json")
              .POST(HttpRequest.BodyPublishers.ofString("{}")),
          headers);
    }

    int status(String... headers) throws Exception {
      return get(TICKETS, headers).statusCode();
    }

    private URI at(String path) {
      return worker.resolve(path);
    }

    private HttpResponse<String> send(HttpRequest.Builder request, String... headers)
        throws IOException, InterruptedException {
      for (int i = 0; i < headers.length; i += 2) {
        request.header(headers[i], headers[i + 1]);
      }
      return http.send(request.build(), BodyHandlers.ofString());
    }

    /** From the login page over the provider to the console. */
    HttpResponse<String> logIn(String next) throws Exception {
      HttpResponse<String> begun =
          get(
              "/login/oidc?next="
                  + java.net.URLEncoder.encode(next, java.nio.charset.StandardCharsets.UTF_8));
      URI back = atProvider(begun);
      return get(
          back.getRawPath() + "?" + back.getRawQuery(), "Cookie", cookie(begun, "holdfast-login-"));
    }

    /** Where the provider sends the browser back to. */
    URI atProvider(HttpResponse<String> begun) throws Exception {
      URI login = URI.create(begun.headers().firstValue("Location").orElseThrow());
      // The provider is on loopback, which a client of another address can reach, too.
      HttpResponse<String> there =
          http.send(HttpRequest.newBuilder(login).build(), BodyHandlers.ofString());
      URI back = URI.create(there.headers().firstValue("Location").orElseThrow());
      assertThat(back.toString())
          .startsWith(OidcServer.console().resolve("/login/oidc/callback?").toString());
      return back;
    }

    String session(HttpResponse<String> entered) {
      String set =
          entered.headers().allValues("Set-Cookie").stream()
              .filter(each -> each.matches(SESSION))
              .findFirst()
              .orElseThrow(() -> new AssertionError(entered.body()));
      assertThat(set).contains("HttpOnly").contains("SameSite=Lax").contains("Path=/");
      return set.replaceFirst(";.*", "");
    }
  }
}
