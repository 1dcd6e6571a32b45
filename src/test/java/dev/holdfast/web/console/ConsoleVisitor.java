package dev.holdfast.web.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.web.ConsoleServer;
import java.io.IOException;
import java.net.CookieManager;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Somebody who has logged in, and reads pages and sends forms without a browser. */
final class ConsoleVisitor implements AutoCloseable {
  private final URI home;
  private final HttpClient http =
      HttpClient.newBuilder()
          .cookieHandler(new CookieManager())
          .followRedirects(HttpClient.Redirect.NORMAL)
          .build();

  ConsoleVisitor(ConsoleServer server) {
    this.home = URI.create(server.url("/inbox"));
  }

  String page(String path) throws IOException, InterruptedException {
    send(HttpRequest.newBuilder(home));
    return send(HttpRequest.newBuilder(home.resolve(path)));
  }

  /** Sends a form; returns the page that it leads to. */
  String post(String path, String fields) throws IOException, InterruptedException {
    return send(form(path, fields));
  }

  /** Sends a form; returns the status of the answer. */
  int status(String path, String fields) throws IOException, InterruptedException {
    return http.send(form(path, fields).build(), BodyHandlers.discarding()).statusCode();
  }

  private HttpRequest.Builder form(String path, String fields)
      throws IOException, InterruptedException {
    String csrf = URLEncoder.encode(field(page("/inbox"), "_csrf"), StandardCharsets.UTF_8);
    return HttpRequest.newBuilder(home.resolve(path))
        .header("Content-Type", "application/x-www-form-urlencoded")
        .POST(BodyPublishers.ofString(fields + "&_csrf=" + csrf));
  }

  /** The value of a page's first hidden field of this name. */
  static String field(String page, String name) {
    Matcher field = Pattern.compile("name=\"" + name + "\" value=\"([^\"]+)\"").matcher(page);
    assertThat(field.find()).as(name).isTrue();
    return field.group(1);
  }

  private String send(HttpRequest.Builder request) throws IOException, InterruptedException {
    var answer = http.send(request.build(), BodyHandlers.ofString());
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return answer.body();
  }

  @Override
  public void close() {
    http.close();
  }
}
