package dev.holdfast.config;

import java.util.HashSet;
import java.util.Set;
import java.util.regex.Pattern;

/** The keys of the database's address and of a worker's connections. */
final class DatabaseKeys {
  static final Keys.Section SECTION = new Keys.Section();

  static final KeyType<String> ADDRESS =
      new KeyType.Text(
          Pattern.compile("|(jdbc:postgresql|postgres|postgresql):\\S+"),
          "jdbc:postgresql://HOST:PORT/NAME or postgres://USER:PASSWORD@HOST:PORT/NAME");

  static final Key<String> URL =
      SECTION.key(
          "database.url",
          ADDRESS,
          "",
          "Where the tickets are. Without it, commands use the running embedded instance of this"
              + " directory.");
  static final Key<String> USER =
      SECTION.key(
          "database.user",
          KeyType.Text.ANY,
          "",
          "The database user. It comes before one in the URL, unless that is of the environment and"
              + " this of the file.");
  static final Key<String> PASSWORD =
      SECTION.secret(
          "database.password",
          new KeyType.Password(),
          "The database user's password. It comes before one in the URL in the same way. Where it"
              + " has a file of its own, each new connection takes what is in that file then.");
  static final Key<Integer> POOL_SIZE =
      SECTION.key(
          "database.pool-size",
          new KeyType.Whole("connections", 2, 500),
          "10",
          "Connections a worker opens at most for its tickets. No connection is held while a job"
              + " runs, so this need not grow with worker.concurrency. Beside them it has one for"
              + " notifications, one for heartbeats, one for metrics and the webhook, and those of"
              + " web.pool-size.");
  static final Key<String> LISTEN_URL =
      SECTION.key(
          "database.listen-url",
          ADDRESS,
          "",
          "Where to LISTEN for new tickets, if database.url goes through a transaction pooler,"
              + " which drops notifications. Empty is database.url.");

  private static final Pattern NAMES_USER = Pattern.compile("//[^/?]+@|[?&]user=");
  private static final Pattern HAS_PASSWORD = Pattern.compile("//[^/?:]*:[^/]*@|[?&]password=");

  private DatabaseKeys() {}

  /** Returns the keys whose values stand in the address. */
  static Set<String> saidBy(String address) {
    Set<String> keys = new HashSet<>();
    if (NAMES_USER.matcher(address).find()) {
      keys.add(USER.name());
    }
    if (HAS_PASSWORD.matcher(address).find()) {
      keys.add(PASSWORD.name());
    }
    return keys;
  }
}
