package dev.holdfast.web.console.view;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Makes addresses of pages. */
public final class Links {
  private Links() {}

  /** Returns the address of the group of held tickets with one error. */
  public static String group(String fingerprint, String category) {
    return with("/group", "fingerprint", fingerprint, "category", category);
  }

  public static String ticket(long id) {
    return "/tickets/" + id;
  }

  public static String design(String name) {
    return with("/design", "name", name);
  }

  /**
   * Returns a path with a query.
   *
   * @param pairs names and values by turns; null values are left out
   */
  public static String with(String path, @Nullable Object... pairs) {
    List<String> query = new ArrayList<>();
    for (int i = 0; i + 1 < pairs.length; i += 2) {
      Object value = pairs[i + 1];
      if (value != null) {
        query.add(pairs[i] + "=" + encode(value.toString()));
      }
    }
    return query.isEmpty() ? path : path + "?" + String.join("&", query);
  }

  /** Returns the address to go back to: a path of ours, never another site. */
  public static String back(@Nullable String wanted, String otherwise) {
    return wanted != null
            && wanted.startsWith("/")
            && !wanted.startsWith("//")
            && wanted.chars().allMatch(c -> c > ' ' && c < 127 && c != '\\')
        ? wanted
        : otherwise;
  }

  private static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }
}
