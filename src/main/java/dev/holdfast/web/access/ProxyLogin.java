package dev.holdfast.web.access;

import dev.holdfast.failure.Sha256;
import jakarta.servlet.http.HttpServletRequest;
import java.net.InetAddress;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Trusts a proxy that logs people in: it sends the name in a header. Anybody else who connects can
 * send that header, too. So it counts only from the proxy's address, and with its secret where
 * there is one. Immutable.
 *
 * @param header exactly this one; a header that only looks like it does not count
 * @param groupsHeader null where the proxy sends no groups
 * @param addresses the addresses of the proxy
 * @param secret null where its address is enough
 */
public record ProxyLogin(
    String header,
    @Nullable String groupsHeader,
    Predicate<InetAddress> addresses,
    @Nullable String secret) {
  /** The header with which the proxy proves itself. */
  public static final String SECRET_HEADER = "X-Holdfast-Proxy-Secret";

  /** What a request says about its sender. */
  public sealed interface Word {
    /** It says nothing. */
    record None() implements Word {}

    /** The proxy says who it is. */
    record Person(String name, List<String> groups) implements Word {}

    /** Somebody who is not the proxy says so. It does not count, but it is worth a message. */
    record Untrusted(String why) implements Word {}

    /** The proxy says something that cannot be accepted. */
    record Unclear(String why) implements Word {}
  }

  public Word of(HttpServletRequest request) {
    List<String> names = values(request, header);
    if (names.isEmpty() || names.equals(List.of(""))) {
      return new Word.None();
    }
    Optional<String> distrust = distrust(request);
    if (distrust.isPresent()) {
      return new Word.Untrusted(distrust.get());
    }
    if (names.size() > 1 || !Members.isName(names.getFirst())) {
      return new Word.Unclear(
          header
              + " must come once, with one name of at most 200 plain letters, digits and ._@+:/\\='"
              + " -; let the proxy replace the header, not add to it");
    }
    return withGroups(names.getFirst(), request);
  }

  private Word withGroups(String name, HttpServletRequest request) {
    if (groupsHeader == null) {
      return new Word.Person(name, List.of());
    }
    List<String> lines = values(request, groupsHeader);
    if (lines.size() > 1) {
      return new Word.Unclear(
          groupsHeader + " must come once; let the proxy replace the header, not add to it");
    }
    return new Word.Person(
        name,
        lines.stream()
            .flatMap(line -> Arrays.stream(line.split(",", -1)))
            .map(String::strip)
            .filter(group -> !group.isEmpty())
            .toList());
  }

  private Optional<String> distrust(HttpServletRequest request) {
    String from = request.getRemoteAddr().replaceFirst("%.*", "");
    if (!addresses.test(InetAddress.ofLiteral(from.replaceAll("[\\[\\]]", "")))) {
      return Optional.of(
          header + " is not taken from " + from + ", which is not in web.auth.proxy-addresses");
    }
    if (secret != null && !proves(secret, values(request, SECRET_HEADER))) {
      return Optional.of(
          "%s is taken only with %s: let the proxy send the value of web.auth.proxy-secret"
              .formatted(header, SECRET_HEADER));
    }
    return Optional.empty();
  }

  private static boolean proves(String wanted, List<String> given) {
    return given.size() == 1
        && MessageDigest.isEqual(Sha256.of(wanted), Sha256.of(given.getFirst()));
  }

  private static List<String> values(HttpServletRequest request, String name) {
    return Collections.list(request.getHeaders(name)).stream().map(String::strip).toList();
  }

  @Override
  public String toString() {
    return "ProxyLogin[header=" + header + "]";
  }
}
