package dev.holdfast.config;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Every key there is; each section has a class of its own. {@code holdfast help config} and {@code
 * docs/configuration.md} are made from this table.
 */
public final class Keys {
  static final Key<String> LOG_FORMAT =
      Key.of(
          "log.format",
          new KeyType.Choice<>(List.of("text", "json"), word -> word),
          "text",
          "How lines of the log are written: for people, or one JSON object each, with the ticket,"
              + " the attempt and the trace under mdc.");

  /** In the order of the documentation. */
  public static final List<Key<?>> ALL =
      Stream.of(
              DatabaseKeys.ALL,
              WorkerKeys.ALL,
              RetryKeys.ALL,
              TicketKeys.ALL,
              HandlerKeys.ALL,
              RepairKeys.ALL,
              ProviderKeys.ANY.all(),
              CallRetryKeys.ALL,
              SpendKeys.ALL,
              SessionKeys.ALL,
              AuthKeys.ALL,
              WebKeys.ALL,
              NoticeKeys.ALL,
              List.<Key<?>>of(LOG_FORMAT))
          .<Key<?>>flatMap(List::stream)
          .toList();

  private Keys() {}

  /**
   * The key of a name, which may be that of a secret's file; hyphen and underscore are one in a
   * provider's name.
   */
  static Optional<Key<?>> find(String name) {
    return ALL.stream()
        .filter(key -> !ProviderKeys.isAny(key) && key.name().equals(name))
        .findFirst()
        .or(() -> ProviderKeys.find(name))
        .or(() -> SecretFiles.find(name));
  }

  /** True if keys are below a name. */
  static boolean isSection(String name) {
    return ProviderKeys.isSection(name)
        || ALL.stream().anyMatch(key -> key.name().startsWith(name + "."));
  }
}
