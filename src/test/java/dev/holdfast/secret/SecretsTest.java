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
  @ValueSource(
      strings = {
        // Python's quote, which leaves the slash; encodeURIComponent; by hand, in lower case.
        "p%28s%29%20w%C3%B6rd%27/%22%5C%26%3C%3D",
        "p(s)%20w%C3%B6rd'%2F%22%5C%26%3C%3D",
        "p%28s%29+w%c3%b6rd%27%2f%22%5c%26%3c%3d",
        "%70%28%73%29%20%77%c3%b6%72%64%27%2f%22%5c%26%3c%3d",
        // Go's and Gson's JSON; PHP's; Python's, which is ASCII; JSON in JSON.
        "p(s) wörd'/\\\"\\\\\\u0026\\u003c=",
        "p(s) wörd\\u0027/\\\"\\\\\\u0026\\u003c\\u003D",
        "p(s) wörd'\\/\\\"\\\\&<=",
        "p(s) w\\u00F6rd'/\\\"\\\\&<=",
        "p(s) w\\\\u00f6rd'\\\\/\\\\\\\"\\\\\\\\&<=",
        // A shell's.
        "p\\(s\\)\\ wörd\\'/\\\"\\\\\\&\\<=",
      })
  @DisplayName("issue 20: a secret is found in whatever way programs write it in a URL or in JSON")
  void spellings(String spelled) {
    Secrets others = Secrets.of(Map.of("p(s) wörd'/\"\\&<=", "database.password"));
    assertThat(others.redact("a=" + spelled + ";b")).isEqualTo("a=[redacted:database.password];b");
    for (int at = 3; at < spelled.length() + 2; at++) {
      assertThat(others.settled(("a=" + spelled).substring(0, at))).isEqualTo(2);
    }
    assertThat(others.longest()).isGreaterThanOrEqualTo(spelled.length());
  }

  @Test
  @DisplayName("a secret that is learned later is taken out by all that were made of the same")
  void learned() {
    Secrets with = secrets.and(Map.of("another one", "other"));
    secrets.learn("changed/value", "database.password");
    for (Secrets each : new Secrets[] {secrets, with, with.and(Map.of("third value", "third"))}) {
      assertThat(each.redact("changed%2Fvalue, " + VALUE))
          .isEqualTo("[redacted:database.password], [redacted:database.password]");
      assertThat(each.redactJson("{\"a\": \"changed\\/value\"}"))
          .isEqualTo("{\"a\":\"[redacted:database.password]\"}");
      assertThat(each.settled("a changed/v")).isEqualTo(2);
      assertThat(each.settled("a pass wchanged/value"))
          .isEqualTo(2 + "pass wchanged/value".length());
    }
    Secrets.NONE.learn("somebody else's", "other");
    Secrets.NONE.and(Map.of("some value", "some")).learn("somebody else's", "other");
    assertThat(Secrets.NONE.redact("somebody else's")).isEqualTo("somebody else's");
  }

  @Test
  @DisplayName("what only resembles a secret stays, and so does the backslash before one")
  void resembling() {
    Secrets known = Secrets.of(Map.of("abc/defgh", "a", "\\\\\\\\\\\\\\x", "b", "a😀bcdefg", "c"));
    String innocent = "\\abc/defg %61bc/defg a\\bc/defgh \\x \\u0061bc/ abc%2Fdef %F0%9F%98%80";
    assertThat(known.redact(innocent)).isEqualTo(innocent);
    assertThat(known.redact("C:\\abc%2fdefgh")).isEqualTo("C:\\[redacted:a]");
    assertThat(known.redact("a\\ud83d\\uDE00bcdefg a%f0%9f%98%80bcdefg"))
        .isEqualTo("[redacted:c] [redacted:c]");
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
    assertThat(Secrets.of(Map.of("short", "a"))).isEqualTo(Secrets.NONE);
    assertThat(Secrets.of(Map.of("short77", "a")).redact("short77")).isEqualTo("short77");
  }

  @Test
  @DisplayName("the longer of two secrets is taken out whole, and nothing shows a value")
  void two() {
    Secrets both = Secrets.of(Map.of("abcdefgh", "a", "abcdefghijkl", "b"));
    assertThat(both.redact("abcdefghijkl abcdefgh")).isEqualTo("[redacted:b] [redacted:a]");
    assertThat(both.toString()).doesNotContain("abcdefgh");
  }

  @Test
  @DisplayName(
      "where a text was cut off in the middle of a secret, its beginning is taken out, too")
  void cutOff() {
    for (int kept = 4; kept < VALUE.length(); kept++) {
      String cut = "key " + VALUE.substring(0, kept) + "…";
      assertThat(secrets.redact(cut)).isEqualTo("key …");
      assertThat(secrets.redactJson("{\"error\":\"" + inJson(cut) + "\"}"))
          .isEqualTo("{\"error\":\"key …\"}");
    }
    assertThat(secrets.redact("key pas…")).isEqualTo("key pas…");
    assertThat(secrets.redact("a " + VALUE + "…")).isEqualTo("a [redacted:database.password]…");
  }

  @Test
  @DisplayName("the same, where the cut is in the middle of a text, as at the end of a long line")
  void cutOffWithin() {
    String begun = VALUE.substring(0, 6);
    assertThat(secrets.redact("a: " + begun + "…\nb: " + begun + "… [longer]\nc " + VALUE))
        .isEqualTo("a: …\nb: … [longer]\nc [redacted:database.password]");
    assertThat(secrets.redact("pas…\n…" + VALUE + "…\n"))
        .isEqualTo("pas…\n…[redacted:database.password]…\n");
    String odd = "pass…word-1234";
    assertThat(Secrets.of(Map.of(odd, "odd")).redact("a " + odd + " b"))
        .isEqualTo("a [redacted:odd] b");
  }

  private static String inJson(String text) {
    String json = JsonMapper.shared().writeValueAsString(text);
    return json.substring(1, json.length() - 1);
  }
}
