package dev.holdfast.web.console;

import dev.holdfast.web.Refused;
import dev.holdfast.web.Routes;
import dev.holdfast.web.access.Role;
import io.javalin.http.Context;
import io.javalin.router.JavalinDefaultRoutingApi;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The static files of the pages, from the jar. Their address has a digest of all of them, so a
 * browser keeps them until they change. Immutable.
 */
final class Assets implements Routes {
  private static final Map<String, String> TYPES =
      Map.of(
          "console.css", "text/css; charset=utf-8",
          "console.js", "text/javascript; charset=utf-8",
          "forms.js", "text/javascript; charset=utf-8",
          "htmx.min.js", "text/javascript; charset=utf-8",
          "icon.svg", "image/svg+xml");

  private final Map<String, byte[]> files = new LinkedHashMap<>();
  private final String version;

  Assets() {
    MessageDigest digest = sha256();
    TYPES.keySet().stream()
        .sorted()
        .forEach(
            name -> {
              byte[] content = read(name);
              digest.update(content);
              files.put(name, content);
            });
    version = HexFormat.of().formatHex(digest.digest(), 0, 8);
  }

  /** Returns the path under which they are served. */
  String path() {
    return "/static/" + version;
  }

  @Override
  public void addTo(JavalinDefaultRoutingApi routes) {
    routes.get("/static/{version}/{file}", this::serve, Role.ANYONE);
  }

  private void serve(Context context) {
    String name = context.pathParam("file");
    byte[] content = files.get(name);
    if (content == null) {
      throw new Refused(404, "there is no such file");
    }
    if (context.pathParam("version").equals(version)) {
      context.header("Cache-Control", "public, max-age=31536000, immutable");
    }
    context.contentType(String.valueOf(TYPES.get(name))).result(content);
  }

  private static byte[] read(String name) {
    try (InputStream in = Assets.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("the jar lacks " + name);
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
