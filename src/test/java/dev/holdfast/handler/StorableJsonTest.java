package dev.holdfast.handler;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

@DisplayName("A result fit for storage")
class StorableJsonTest {
  private static final JsonMapper JSON =
      JsonMapper.builder().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS).build();

  private static String stored(String json) {
    return StorableJson.of(JSON.readTree(json)).toString();
  }

  @Test
  @DisplayName("has numbers that the database would write out as strings, whatever their sign")
  void longNumbers() {
    assertThat(stored("{\"a\": [1e131071, -1E+500, 1e-16000, 0e-16383]}"))
        .isEqualTo("{\"a\":[\"1E+131071\",\"-1E+500\",\"1E-16000\",\"0E-16383\"]}");
  }

  @Test
  @DisplayName("has usual numbers as they are")
  void usualNumbers() {
    assertThat(JSON.readTree(stored("[1e308, 0.1, -2.5e-300, 12345678901234567890123, 7]")))
        .isEqualTo(JSON.readTree("[1e308, 0.1, -2.5e-300, 12345678901234567890123, 7]"));
  }
}
