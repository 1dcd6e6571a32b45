package dev.holdfast.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.retry.DurationText;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What stands beside each key as allowed is what a start takes, to the last value. */
class BoundsTest {
  /** The values at a key's ends, and those just behind them. */
  private record Ends(Key<?> key, List<String> within, List<String> beyond) {
    static Stream<Ends> of(Key<?> key) {
      return switch (key.type()) {
        case KeyType.Whole(String unit, int min, int max) ->
            Stream.of(of(key, "" + min, "" + max, "" + (min - 1L), "" + (max + 1L)));
        case KeyType.Decimal(double min, double max) ->
            Stream.of(of(key, "" + min, "" + max, "" + (min - 1e-9), "" + (max + 1e-9)));
        case KeyType.Span(Duration min, Duration max) ->
            Stream.of(of(key, text(min), text(max), text(min.minusMillis(1)), longer(max)));
        case KeyType.Money money ->
            Stream.of(of(key, "0", "1000000000", "-1e-18", "1000000000.000000000000000001"));
        default -> Stream.of();
      };
    }

    private static Ends of(Key<?> key, String least, String most, String less, String more) {
      return new Ends(key, List.of(least, most), List.of(less, more));
    }

    private static String text(Duration duration) {
      return DurationText.format(duration);
    }

    private static String longer(Duration max) {
      return max.toMillis() + 1 + "ms";
    }
  }

  private static final List<Ends> ALL = Keys.ALL.stream().flatMap(Ends::of).toList();

  private static void load(Key<?> key, String value) {
    Map<String, String> environment = Map.of(key.environmentName(), value);
    new ConfigLoader(Path.of("nowhere"), environment).load(null, Map.of());
  }

  @Test
  @DisplayName("a start takes the least and the most of every key, and they can be used")
  void within() {
    assertThat(ALL).hasSizeGreaterThan(70);
    for (Ends ends : ALL) {
      // Its most is beyond half of every lease.
      if (!ends.key().equals(WorkerKeys.HEARTBEAT_INTERVAL)) {
        for (String value : ends.within()) {
          assertThatCode(() -> load(ends.key(), value))
              .as("%s: %s", ends.key().name(), value)
              .doesNotThrowAnyException();
        }
      }
    }
  }

  @Test
  @DisplayName("one less or more stops the start with the key, the value, its variable and both")
  void beyond() {
    for (Ends ends : ALL) {
      Key<?> key = ends.key();
      for (String value : ends.beyond()) {
        assertThatThrownBy(() -> load(key, value))
            .as("%s: %s", key.name(), value)
            .isInstanceOf(ConfigException.class)
            .hasMessageStartingWith(
                "%s: \"%s\" (from %s) is ".formatted(key.name(), value, key.environmentName()))
            .hasMessageEndingWith("; allowed: " + key.type().allowed());
      }
    }
  }

  @Test
  @DisplayName("every default of a key is the text by which one would write it")
  void defaults() {
    for (Key<?> key : Keys.ALL) {
      if (!key.defaultText().isEmpty() && !ProviderKeys.isAny(key)) {
        assertThatCode(() -> load(key, key.defaultText()))
            .as(key.name())
            .doesNotThrowAnyException();
      }
      if (key.type() instanceof KeyType.Span) {
        assertThat(DurationText.format((Duration) key.defaultValue()))
            .as(key.name())
            .isEqualTo(DurationText.format(DurationText.parse(key.defaultText())));
      }
      if (key.secret()) {
        assertThat(key.defaultText()).as(key.name()).isEmpty();
      }
    }
    assertThat(new BigDecimal(SpendKeys.COOLDOWN_SPREAD.defaultText())).isEqualByComparingTo("0.2");
  }
}
