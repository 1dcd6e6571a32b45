package dev.holdfast.web.oidc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.testing.OidcServer;
import dev.holdfast.web.Pages;
import dev.holdfast.web.Routes;
import dev.holdfast.web.WebServer;
import dev.holdfast.web.access.Access;
import dev.holdfast.web.access.AccessToken;
import dev.holdfast.web.access.OtherLogins;
import dev.holdfast.web.access.Role;
import dev.holdfast.web.port.HttpPort;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** A provider that does not answer, or only with errors, over HTTP. */
@Order(1) // it takes long
class OidcOutageTest {
  private static final String TOKEN = "the-secret-of-a-program";
  private static final CountDownLatch AT_ONCE = new CountDownLatch(0);

  private final AtomicReference<Instant> now =
      new AtomicReference<>(Instant.parse("2026-11-21T12:00:00Z"));
  @AutoClose private final OidcServer provider = new OidcServer();
  @AutoClose private final HttpClient http = HttpClient.newHttpClient();
  @AutoClose private final WebServer server;

  OidcOutageTest() {
    AccessToken token =
        new AccessToken(Role.VIEWER, null, HexFormat.of().formatHex(AccessToken.hash(TOKEN)));
    Access access =
        Access.of(List.of(token), OtherLogins.NONE, () -> "a key for tests", now::get)
            .answeringAtOnce(1);
    OidcClient client =
        new OidcClient(
            URI.create(provider.issuer()),
            OidcServer.CLIENT,
            OidcServer.SECRET,
            OidcServer.console(),
            List.of("openid"),
            "email",
            "groups");
    Routes ours = routes -> routes.get("/ours", context -> context.result("ours"), Role.VIEWER);
    this.server =
        WebServer.start(
            HttpPort.bind("127.0.0.1", 0),
            1_000,
            access,
            Pages.plain(),
            List.of(new OidcRoutes(client, access, Pages.plain(), now::get), ours));
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path));
  }

  private CompletableFuture<HttpResponse<String>> login() {
    return http.sendAsync(request("/login/oidc").build(), HttpResponse.BodyHandlers.ofString());
  }

  private List<CompletableFuture<HttpResponse<String>>> logins(int count) {
    List<CompletableFuture<HttpResponse<String>>> logins = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      logins.add(login());
    }
    return logins;
  }

  private void later(Duration time) {
    now.updateAndGet(before -> before.plus(time));
  }

  @Test
  @DisplayName(
      "a provider that hangs keeps nobody out who has a token; it is asked by one login at a time,"
          + " and left alone for some seconds after it failed")
  void hangs() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    provider.breaksDown(end);
    List<CompletableFuture<HttpResponse<String>>> logins = logins(12);
    try {
      await().atMost(Duration.ofSeconds(60)).until(() -> provider.questions() > 0);
      HttpRequest ours = request("/ours").header("Authorization", "Bearer " + TOKEN).build();
      assertThat(http.send(ours, HttpResponse.BodyHandlers.ofString()).statusCode()).isEqualTo(200);
    } finally {
      // Or else the client's end waits for the logins.
      end.countDown();
    }
    for (CompletableFuture<HttpResponse<String>> login : logins) {
      assertThat(login.get(60, TimeUnit.SECONDS).statusCode()).isEqualTo(503);
    }
    provider.recovers();
    assertThat(login().join().statusCode()).isEqualTo(503);
    assertThat(provider.questions()).isEqualTo(1);
    later(Duration.ofSeconds(10));
    assertThat(login().join().statusCode()).isEqualTo(303);
  }

  @Test
  @DisplayName("of a crowd that logs in while the provider hangs, some are refused at once")
  void crowd() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    provider.breaksDown(end);
    List<CompletableFuture<HttpResponse<String>>> logins = logins(17);
    try {
      assertThat(
              CompletableFuture.anyOf(logins.toArray(CompletableFuture[]::new))
                  .get(60, TimeUnit.SECONDS))
          .isInstanceOfSatisfying(
              HttpResponse.class,
              first -> {
                assertThat(first.statusCode()).isEqualTo(503);
                assertThat(first.body()).asString().contains("too many people log in just now");
              });
    } finally {
      end.countDown();
    }
    CompletableFuture.allOf(logins.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);
  }

  @Test
  @DisplayName(
      "two tabs of a browser may log in at once, a fifth login ends those before it; whom the"
          + " provider refuses may try again on the way to the same page")
  void tabs() throws Exception {
    List<String> cookies = new ArrayList<>();
    List<String> states = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      HttpResponse<String> begun = begin(cookies);
      assertThat(begun.headers().allValues("Set-Cookie")).hasSize(1);
      cookies.add(begun.headers().allValues("Set-Cookie").getFirst().replaceFirst(";.*", ""));
      states.add(
          begun
              .headers()
              .firstValue("Location")
              .orElseThrow()
              .replaceFirst(".*&state=([^&]*).*", "$1"));
    }
    assertThat(refused(cookies, states.getFirst()))
        .contains("access_denied")
        .contains("value=\"/queues?a\"");
    assertThat(refused(cookies, states.get(3))).contains("access_denied");
    assertThat(begin(cookies).headers().allValues("Set-Cookie"))
        .hasSize(5)
        .filteredOn(set -> set.contains("=;"))
        .hasSize(4);
  }

  private HttpResponse<String> begin(List<String> cookies) throws Exception {
    return http.send(
        request("/login/oidc?next=/queues?a")
            .header("Cookie", "other=1; " + String.join("; ", cookies))
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  private String refused(List<String> cookies, String state) throws Exception {
    return http.send(
            request("/login/oidc/callback?error=access_denied&state=" + state)
                .header("Cookie", String.join("; ", cookies))
                .build(),
            HttpResponse.BodyHandlers.ofString())
        .body();
  }

  @Test
  @DisplayName("settings that cannot be read anew are used as they were, and asked for again later")
  void old() {
    assertThat(login().join().statusCode()).isEqualTo(303);
    later(Duration.ofMinutes(11));
    provider.breaksDown(AT_ONCE);
    assertThat(login().join().statusCode()).isEqualTo(303);
    assertThat(login().join().statusCode()).isEqualTo(303);
    assertThat(provider.questions()).isEqualTo(2);
    provider.recovers();
    later(Duration.ofSeconds(10));
    assertThat(login().join().statusCode()).isEqualTo(303);
    assertThat(provider.questions()).isEqualTo(3);
  }

  @Test
  @DisplayName(
      "after the machine's clock was ahead, a provider that failed then is asked again at once, and"
          + " old settings are read anew")
  void clockWasAhead() {
    later(Duration.ofDays(9));
    provider.breaksDown(AT_ONCE);
    assertThat(login().join().statusCode()).isEqualTo(503);
    provider.recovers();
    later(Duration.ofDays(-9));
    assertThat(login().join().statusCode()).isEqualTo(303);
    later(Duration.ofDays(9));
    assertThat(login().join().statusCode()).isEqualTo(303);
    later(Duration.ofDays(-9));
    int questions = provider.questions();
    assertThat(login().join().statusCode()).isEqualTo(303);
    assertThat(provider.questions()).isEqualTo(questions + 1);
  }
}
