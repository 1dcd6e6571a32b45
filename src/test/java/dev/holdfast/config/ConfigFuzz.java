package dev.holdfast.config;

import static dev.holdfast.fuzz.FuzzTarget.require;

import dev.holdfast.fuzz.FuzzTarget;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What stands in configuration files, variables and flags. */
public final class ConfigFuzz {
  private static final int LONGEST_NUMBER = 1_000;

  public static final FuzzTarget FILE = FuzzTarget.ofText("config-file", ConfigFuzz::file);
  public static final FuzzTarget VALUE = FuzzTarget.ofText("config-value", ConfigFuzz::value);

  private ConfigFuzz() {}

  private static void file(String text) {
    Object document;
    try {
      document = YamlText.parse(text);
    } catch (IllegalArgumentException e) {
      require(String.valueOf(e.getMessage()).contains("YAML"), "a refusal says that it is no YAML");
      return;
    }
    if (document instanceof Map<?, ?> map) {
      try {
        Settings settings = Settings.of(Values.read(new FileKeys("f").flatten(map)), List.of());
        require(!settings.toString().isEmpty(), "what is read can be shown");
      } catch (ConfigException e) {
        require(!String.valueOf(e.getMessage()).isBlank(), "a refusal says what is wrong");
      }
    }
  }

  /** One text for every key: what it is taken for is within the key's bounds. */
  private static void value(String text) {
    for (Key<?> key : Keys.ALL) {
      try {
        bounded(key, key.type().parse(text));
      } catch (IllegalArgumentException e) {
        boolean shown = text.length() > 7 && String.valueOf(e.getMessage()).contains(text);
        require(!(key.secret() && shown), "a refused secret is not shown: " + key.name());
      }
    }
  }

  private static void bounded(Key<?> key, Object value) {
    switch (value) {
      case Duration span ->
          require(span.toNanos() >= 0, "a duration is neither negative nor beyond all bounds");
      case Optional<?> some when some.isPresent() && some.get() instanceof BigDecimal usd ->
          require(
              usd.toString().length() <= LONGEST_NUMBER
                  && Math.abs((long) usd.scale()) <= LONGEST_NUMBER,
              "an amount can be written out: " + key.name());
      default -> {}
    }
  }
}
