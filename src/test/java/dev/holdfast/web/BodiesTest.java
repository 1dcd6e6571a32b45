package dev.holdfast.web;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BodiesTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\'',
      value = {
        "{\"concurent\": 1}    | concurent: there is no such name; there are: burst, by,"
            + " concurrent, per_key, rate",
        "{\"concurrent\": \"1\"} | concurrent: must be a whole number",
        "{\"concurrent\": 1.5}   | concurrent: must be a whole number",
        "{\"rate\": 0}           | rate: must be a text",
        "{\"by\": []}            | by: must be a text",
      })
  @DisplayName("what does not fit is told in words of the request: the names there are, the kind")
  void misfits(String json, String words) {
    assertThatThrownBy(
            () -> Bodies.read(json.getBytes(StandardCharsets.UTF_8), LimitRoutes.Body.class))
        .hasMessage("the body does not fit: " + words);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\'',
      value = {
        "{\"remember\": \"yes\"} | remember: must be true or false",
        "{\"call\": \"first\"}   | call: must be a whole number",
        "{\"ids\": 7}            | ids: must be a list",
      })
  @DisplayName("so is a flag, a number, a list")
  void kinds(String json, String words) {
    assertThatThrownBy(() -> Bodies.read(json.getBytes(StandardCharsets.UTF_8), Asked.class))
        .hasMessage("the body does not fit: " + words);
  }

  record Asked(boolean remember, Long call, java.util.List<Long> ids) {}
}
