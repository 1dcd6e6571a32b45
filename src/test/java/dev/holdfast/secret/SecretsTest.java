package dev.holdfast.secret;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

class SecretsTest {
  private static final String VALUE = "pass wörd+/\"\\x";
  private final Secrets secrets = Secrets.of(Map.of(VALUE, "database.password"));

  @Test
  @DisplayName("issue 20: a secret is found as it is, in a URL, in JSON and in JSON inside of JSON")
  void written() {
    String encoded = URLEncoder.encode(VALUE, StandardCharsets.UTF_8);
    String json = inJson(VALUE);
    for (String form :
        new String[] {VALUE, encoded, encoded.replace("+", "%20"), json, inJson(json)}) {
      assertThat(secrets.redact("a " + form + " b")).isEqualTo("a [redacted:database.password] b");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a", "ab", "abc", "user:"})
  @DisplayName("issue 20: Base64 hides no secret, wherever in the encoded text it lies")
  void base64(String before) {
    byte[] text = (before + VALUE + " and more").getBytes(StandardCharsets.UTF_8);
    for (Base64.Encoder encoder :
        new Base64.Encoder[] {Base64.getEncoder(), Base64.getUrlEncoder()}) {
      String encoded = encoder.encodeToString(text);
      String safe = secrets.redact(encoded);
      assertThat(safe).contains("[redacted:database.password]");
      assertThat(safe.length()).isLessThan(encoded.length() + 20);
    }
  }

  @Test
  @DisplayName(
      "issue 20: a JSON document stays one, with keys, texts, numbers and JSON within JSON")
  void json() {
    JsonMapper mapper = JsonMapper.shared();
    String inner = mapper.writeValueAsString(Map.of("x", VALUE));
    String outer = mapper.writeValueAsString(Map.of("arguments", inner, VALUE, 1));
    assertThat(mapper.readTree(secrets.redactJson(outer)))
        .isEqualTo(
            mapper.readTree(
                """
                {"arguments": "{\\"x\\":\\"[redacted:database.password]\\"}", "[redacted:database.password]": 1}
                """));
    Secrets digits = Secrets.of(Map.of("12345678", "pin"));
    assertThat(digits.redactJson("{\"a\":[12345678,1234567,1E+400]}"))
        .isEqualTo("{\"a\":[\"[redacted:pin]\",1234567,1E+400]}");
    assertThat(digits.redactJson("no JSON 12345678")).isEqualTo("no JSON [redacted:pin]");
  }

  @Test
  @DisplayName("a document without secrets is not touched, and a short value is no secret")
  void innocent() {
    String json = "{ \"a\" :  \"b\\u0041\" }";
    assertThat(secrets.redactJson(json)).isSameAs(json);
    assertThat(Secrets.of(Map.of("short", "a"))).isSameAs(Secrets.NONE);
    assertThat(Secrets.of(Map.of("short77", "a")).redact("short77")).isEqualTo("short77");
  }

  @Test
  @DisplayName("the longer of two secrets is taken out whole, and nothing shows a value")
  void two() {
    Secrets both = Secrets.of(Map.of("abcdefgh", "a", "abcdefghijkl", "b"));
    assertThat(both.redact("abcdefghijkl abcdefgh")).isEqualTo("[redacted:b] [redacted:a]");
    assertThat(both.toString()).doesNotContain("abcdefgh");
  }

  private static String inJson(String text) {
    String json = JsonMapper.shared().writeValueAsString(text);
    return json.substring(1, json.length() - 1);
  }
}
