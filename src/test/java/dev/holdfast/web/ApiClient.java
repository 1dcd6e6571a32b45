package dev.holdfast.web;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Talks to a server over HTTP as one visitor. Thread-safe. */
final class ApiClient implements AutoCloseable {
  private static final JsonMapper JSON = new JsonMapper();

  private final HttpClient http = HttpClient.newHttpClient();
  private final int port;
  private final @Nullable String token;

  ApiClient(int port, @Nullable String token) {
    this.port = port;
    this.token = token;
  }

  /** An answer. */
  record Answer(HttpResponse<String> response) {
    int status() {
      return response.statusCode();
    }

    JsonNode json() {
      return JSON.readTree(response.body());
    }

    Optional<String> header(String name) {
      return response.headers().firstValue(name);
    }

    String detail() {
      return json().path("detail").asString();
    }

    @Override
    public String toString() {
      return status() + " " + response.body();
    }
  }

  Answer get(String path, String... headers) {
    return send("GET", path, null, headers);
  }

  Answer post(String path, String json, String... headers) {
    String[] all = new String[headers.length + 2];
    System.arraycopy(headers, 0, all, 0, headers.length);
    all[headers.length] = "Content-Type";
    all[headers.length + 1] = "application/json";
    return send("POST", path, json, all);
  }

  Answer send(String method, String path, @Nullable String body, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(uri(path))
            .method(
                method,
                body == null
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofString(body));
    if (headers.length > 0) {
      request.headers(headers);
    }
    if (token != null) {
      request.setHeader("Authorization", "Bearer " + token);
    }
    try {
      return new Answer(http.send(request.build(), BodyHandlers.ofString()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  URI uri(String path) {
    return URI.create("http://127.0.0.1:" + port + path);
  }

  HttpClient http() {
    return http;
  }

  @Override
  public void close() {
    http.close();
  }
}
