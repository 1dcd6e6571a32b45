package dev.holdfast.config;

import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The database that has the tickets.
 *
 * @param url null for the embedded instance of the current directory
 * @param user null for the user in the URL
 * @param password null for the password in the URL; never shown
 * @param passwordFile the file that holds only the password; null where there is none
 * @param poolSize the largest number of connections
 * @param listenUrl null for {@code url}
 */
public record DatabaseSettings(
    @Nullable String url,
    @Nullable String user,
    @Nullable String password,
    @Nullable Path passwordFile,
    int poolSize,
    @Nullable String listenUrl) {

  static DatabaseSettings of(Values values) {
    return new DatabaseSettings(
        orNull(values.get(DatabaseKeys.URL)),
        orNull(values.get(DatabaseKeys.USER)),
        orNull(values.get(DatabaseKeys.PASSWORD)),
        values.file(DatabaseKeys.PASSWORD),
        values.get(DatabaseKeys.POOL_SIZE),
        orNull(values.get(DatabaseKeys.LISTEN_URL)));
  }

  /**
   * Returns the password in the file, which changes when it is rotated. While the file cannot be
   * read, it returns the first one.
   */
  public @Nullable String currentPassword() {
    return passwordFile == null ? password : SecretFiles.reread(passwordFile).orElse(password);
  }

  private static @Nullable String orNull(String text) {
    return text.isEmpty() ? null : text;
  }

  /** Returns the settings without passwords. */
  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "DatabaseSettings[url=%s, user=%s, password=%s, poolSize=%d, listenUrl=%s]",
        shown(url),
        user,
        password == null ? null : "***",
        poolSize,
        shown(listenUrl));
  }

  private static @Nullable String shown(@Nullable String address) {
    return address == null ? null : Redaction.withoutPassword(address);
  }
}
