package dev.holdfast.config;

import dev.holdfast.secret.Secrets;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Gathers the values that must not leave the process from all that is configured. */
final class ConfiguredSecrets {
  /** Words that are nobody's secret, and stand in every second line of a log. */
  private static final Set<String> WORDS = Set.of("postgres", "password", "holdfast");

  /** The password of {@code postgres://user:password@host}. */
  private static final Pattern IN_AUTHORITY = Pattern.compile("//[^/:@\\s]*:([^/\\s]*)@");

  private static final Pattern IN_QUERY =
      Pattern.compile("[?&](?:password|sslpassword)=([^&\\s]*)", Pattern.CASE_INSENSITIVE);

  /** The role, and whose token it is, before the token. */
  private static final Pattern BEFORE_TOKEN = Pattern.compile("\\A(viewer|operator)(/[^:]*)?:");

  private final Map<String, String> nameByValue = new HashMap<>();

  private ConfiguredSecrets() {}

  static Secrets of(Values values) {
    ConfiguredSecrets found = new ConfiguredSecrets();
    for (Key<?> key : values.keys()) {
      if (key.mayHoldSecret()) {
        Object value = values.get(key);
        List<?> all = value instanceof List<?> list ? list : List.of(value);
        all.forEach(each -> found.add(key, String.valueOf(each)));
      }
    }
    found.nameByValue.remove(values.get(DatabaseKeys.USER));
    return Secrets.of(found.nameByValue);
  }

  /** Adds a password that was changed in its file to the secrets, if it may be one. */
  static void learn(@Nullable String password, DatabaseSettings database, Secrets secrets) {
    if (password != null && !isWord(password) && !password.equals(database.user())) {
      secrets.learn(password, DatabaseKeys.PASSWORD.name());
    }
  }

  private static boolean isWord(String secret) {
    return WORDS.contains(secret.toLowerCase(Locale.ROOT));
  }

  private void add(Key<?> key, String value) {
    if (key.secret()) {
      String secret = BEFORE_TOKEN.matcher(value).replaceFirst("");
      if (!secret.startsWith("sha256:")) {
        put(key, secret);
      }
    } else {
      IN_AUTHORITY.matcher(value).results().forEach(found -> putBoth(key, found.group(1)));
      Matcher query = IN_QUERY.matcher(value);
      query.results().forEach(found -> putBoth(key, found.group(1)));
    }
  }

  /** Adds the secret as it stands in an address, and as the database gets it. */
  private void putBoth(Key<?> key, String encoded) {
    put(key, encoded);
    try {
      put(key, URLDecoder.decode(encoded.replace("+", "%2B"), StandardCharsets.UTF_8));
      put(key, URLDecoder.decode(encoded, StandardCharsets.UTF_8));
    } catch (IllegalArgumentException e) {
      // The code that opens the database says what is wrong with the address.
    }
  }

  private void put(Key<?> key, String secret) {
    if (!isWord(secret)) {
      nameByValue.putIfAbsent(secret, key.name());
    }
  }
}
