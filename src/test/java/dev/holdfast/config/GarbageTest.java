package dev.holdfast.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import tools.jackson.databind.json.JsonMapper;

/** Every key is given everything that YAML can say. */
class GarbageTest {
  /** So that a message which shows a value is found. */
  private static final String MARK = "hunter2hunter2hunter2";

  private static final List<@Nullable Object> VALUES =
      Arrays.asList(
          MARK,
          "",
          " \t ",
          "null",
          "~",
          "-",
          "\u0000" + MARK,
          MARK + "\nworker.lease: 5s",
          "\ud83d\ude00" + MARK,
          "x".repeat(10_000),
          "../../etc/passwd",
          "http://[" + MARK,
          "https://" + MARK + " /",
          "jdbc:postgresql://" + MARK + ":x/y",
          "00:00-99:99 Nowhere/" + MARK,
          "sha256:" + MARK,
          "whsec_" + MARK + "!",
          "NaN",
          "1e999999999",
          "-1",
          "9223372036854775808",
          "5s5s",
          "999999999999999999d",
          ",,,",
          -1,
          0,
          1,
          1.5,
          1e300,
          true,
          List.of(),
          List.of(MARK),
          List.of(List.of(MARK)),
          List.of(Map.of("id", MARK)),
          List.of(Map.of("model", MARK, "input", "-1", "output", "x")),
          Map.of(),
          Map.of(MARK, MARK),
          Arrays.asList((Object) null),
          null);

  static final List<String> KEYS = keys();

  private static List<String> keys() {
    List<String> names = new ArrayList<>();
    for (Key<?> each : Keys.ALL) {
      names.add(ProviderKeys.isAny(each) ? each.name().replace("<name>", "openai") : each.name());
    }
    return names;
  }

  @ParameterizedTest
  @FieldSource("KEYS")
  @DisplayName(
      "a value is taken, or refused in one line that names a key of its section and no secret")
  void garbage(String key) {
    for (Object value : VALUES) {
      String refusal = refusal(key, value);
      if (refusal != null) {
        assertThat(refusal)
            .as(JsonMapper.shared().writeValueAsString(value))
            .contains(key.substring(0, key.indexOf('.')))
            .doesNotContain("\n")
            .hasSizeLessThan(1_000);
        assertThat(isSecret(key) && refusal.contains(MARK))
            .as(JsonMapper.shared().writeValueAsString(value))
            .isFalse();
      }
    }
  }

  private static boolean isSecret(String key) {
    return ProviderKeys.find(key).map(Key::secret).orElseGet(() -> known(key).secret());
  }

  private static Key<?> known(String key) {
    return Keys.ALL.stream().filter(each -> each.name().equals(key)).findFirst().orElseThrow();
  }

  private static @Nullable String refusal(String key, @Nullable Object value) {
    Map<String, @Nullable Object> document = Collections.singletonMap(key, value);
    try {
      Settings.of(Values.read(new FileKeys("holdfast.yaml").flatten(document)), List.of());
      return null;
    } catch (ConfigException e) {
      return e.getMessage();
    }
  }
}
