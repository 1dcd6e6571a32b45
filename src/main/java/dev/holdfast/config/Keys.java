package dev.holdfast.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Every key there is; each section has a class of its own. {@code holdfast help config} and {@code
 * docs/configuration.md} are made from this table.
 */
public final class Keys {
  static final Key<String> LOG_FORMAT =
      new Key<>(
          "log.format",
          new KeyType.Choice<>(List.of("text", "json"), word -> word),
          "text",
          false,
          "How lines of the log are written: for people, or one JSON object each, with the ticket,"
              + " the attempt and the trace under mdc.");

  /** All keys, in the order of the documentation. */
  public static final List<Key<?>> ALL =
      Stream.of(
              DatabaseKeys.SECTION.all(),
              WorkerKeys.SECTION.all(),
              RetryKeys.SECTION.all(),
              TicketKeys.SECTION.all(),
              HandlerKeys.SECTION.all(),
              RepairKeys.SECTION.all(),
              ProviderKeys.ANY.all(),
              CallRetryKeys.SECTION.all(),
              SpendKeys.SECTION.all(),
              SessionKeys.SECTION.all(),
              AuthKeys.SECTION.all(),
              WebKeys.SECTION.all(),
              NoticeKeys.SECTION.all(),
              List.<Key<?>>of(LOG_FORMAT))
          .<Key<?>>flatMap(List::stream)
          .toList();

  private Keys() {}

  /**
   * Finds the key of a name, which may be that of a secret's file. Hyphen and underscore are the
   * same in a provider's name.
   */
  static Optional<Key<?>> find(String name) {
    return ALL.stream()
        .filter(key -> !ProviderKeys.isAny(key) && key.name().equals(name))
        .findFirst()
        .or(() -> ProviderKeys.find(name))
        .or(() -> SecretFiles.find(name));
  }

  /** Returns true if there are keys below a name. */
  static boolean isSection(String name) {
    return ProviderKeys.isSection(name)
        || ALL.stream().anyMatch(key -> key.name().startsWith(name + "."));
  }

  /** The keys of one class, in the order in which it declares them: that of the documentation. */
  static final class Section {
    private final List<Key<?>> keys = new ArrayList<>();

    <T> Key<T> key(String name, KeyType<T> type, String defaultText, String description) {
      return added(new Key<>(name, type, defaultText, false, description));
    }

    <T> Key<T> secret(String name, KeyType<T> type, String description) {
      return added(new Key<>(name, type, "", true, description));
    }

    private <T> Key<T> added(Key<T> key) {
      keys.add(key);
      return key;
    }

    List<Key<?>> all() {
      return List.copyOf(keys);
    }
  }
}
