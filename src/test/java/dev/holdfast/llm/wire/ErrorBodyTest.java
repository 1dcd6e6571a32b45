package dev.holdfast.llm.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Errors as vendors, their imitators and gateways word them; apostrophes stand for quotes. */
class ErrorBodyTest {
  private static ErrorBody body(String text) {
    return ErrorBody.of(text.replace('\'', '"'));
  }

  static Stream<Arguments> bodies() {
    return Stream.of(
        of("{'error':{'message':'m','type':'t','param':null,'code':'c'}}", "m", null, "c", "t"),
        of("{'error':{'message':'m','type':'t','code':null}}", "m", null, "t"),
        of("{'type':'error','error':{'type':'t','message':'m'},'request_id':'r'}", "m", null, "t"),
        of(
            "{'error':{'type':'t','message':'m','details':{'error_code':'first'}}}",
            "m",
            null,
            "first",
            "t"),
        of(
            "[{'error':{'code':503,'message':'m','status':'UNAVAILABLE',"
                + "'details':[{'reason':'BUSY'},{'x':1},'odd']}}]",
            "m",
            503,
            "UNAVAILABLE",
            "BUSY"),
        of("{'object':'error','message':'m','type':'t','code':400}", "m", 400, "t"),
        of("{'error':'m'}", "m", null),
        of("{'error':'m','code':'c'}", "m", null, "c"),
        of("{'detail':'m'}", "m", null),
        of("{'message':'m'}", "m", null),
        of("{'error':{'message':' ','type':'t'},'detail':'m'}", "m", null, "t"),
        of("{'error':{'message':'m','code':429,'metadata':{'raw':'behind'}}}", "m: behind", 429),
        of("{'error':{'message':'m','metadata':{'raw':{'a':1}}}}", "m", null),
        of("{'error':{'message':'m','code':'429'}}", "m", 429, "429"),
        of("{'error':{'message':'m','code':399,'status':600}}", "m", null),
        of("{'error':{'message':'m','code':200,'status':502}}", "m", 502),
        of("{'type':'error','message':'m','code':' ','status':''}", "m", null),
        of("no json", "no json", null),
        of("  ", "", null),
        of("42", "42", null),
        of("[]", "[]", null),
        of("{'error':{'message':{'odd':1},'type':7,'code':[]}}", null, null),
        of("{'error':null,'status':'failed'}", null, null, "failed"));
  }

  /**
   * @param message null for the whole text
   */
  private static Arguments of(
      String text, @Nullable String message, @Nullable Integer number, String... codes) {
    return Arguments.of(text, message, number, List.of(codes));
  }

  @ParameterizedTest
  @MethodSource("bodies")
  @DisplayName("B17: words, codes and number are found in each shape, the most telling code first")
  void shapes(String text, @Nullable String message, @Nullable Integer number, List<String> codes) {
    ErrorBody body = body(text);
    assertThat(body.message()).isEqualTo(message == null ? text.replace('\'', '"') : message);
    assertThat(body.codes()).isEqualTo(codes);
    assertThat(body.number()).isEqualTo(number);
    assertThat(body.html()).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "<html><head><TITLE lang='de'> Busy </TITLE>, ' titled \"Busy\"'",
    "' \n<!DOCTYPE html><title>502 Bad Gateway</title>', ' titled \"502 Bad Gateway\"'",
    "<html>no title</html>, ''",
    "<title></title>, ''",
  })
  @DisplayName("a page of HTML is known as one, by its title")
  void html(String page, String titled) {
    ErrorBody body = ErrorBody.of(page);
    assertThat(body.html()).isTrue();
    assertThat(body.message()).isEqualTo("a page of HTML" + titled);
    assertThat(body.codes()).isEmpty();
  }

  @Test
  @DisplayName("whatever a server sends, words and codes stay short enough for a log")
  void bounded() {
    String long1 = "x".repeat(60_000);
    assertThat(ErrorBody.of(long1).message()).hasSize(4_003).endsWith("...");
    ErrorBody body = body("{'error':{'message':'" + long1 + "','code':'" + long1 + "'}}");
    assertThat(body.message()).hasSize(4_003);
    assertThat(body("{'odd':'" + long1 + "'}").message()).hasSize(4_003);
    assertThat(body.codes()).singleElement().satisfies(code -> assertThat(code).hasSize(200));
    assertThat(ErrorBody.of("<title>" + long1).message()).hasSizeLessThan(400);
    assertThat(ErrorBody.of("x".repeat(4_000)).message()).as("to the last one").hasSize(4_000);
  }

  @Test
  @DisplayName("what is nested a hundred thousand deep is text like any other")
  void deep() {
    assertThat(ErrorBody.of("[".repeat(100_000)).message()).startsWith("[[[").endsWith("...");
    assertThat(ErrorBody.isError("{\"error\":".repeat(100_000))).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'error':{'message':'m'}}",
        " {'error':'m'}",
        "[{'error':{}}]",
        "{'type':'error'}",
        "{'object':'error','message':'m'}",
      })
  @DisplayName("a document that says it is an error is one, on whatever status")
  void errors(String text) {
    assertThat(JsonTree.isError(text.replace('\'', '"'))).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'error':null,'choices':[]}",
        "{'error':'','choices':[]}",
        "{'error':false,'choices':[]}",
        "{'type':'message','content':[]}",
        "{'object':'chat.completion'}",
        "[]",
        "'error'",
        "no json",
        "",
      })
  @DisplayName("an answer with an empty place for an error is none")
  void noErrors(String text) {
    assertThat(JsonTree.isError(text.replace('\'', '"'))).isFalse();
  }

  @Test
  @DisplayName("JSON goes to the SDKs' plain values and back unchanged")
  void plain() {
    String json = "{\"a\":[1,2.50,true,null],\"b\":{\"c\":\"d\"}}";
    Object plain = JsonTree.plain(JsonTree.parse(json));
    assertThat(plain).isInstanceOf(java.util.Map.class);
    assertThat(JsonTree.of(plain)).hasToString("{\"a\":[1,2.5,true,null],\"b\":{\"c\":\"d\"}}");
    assertThat(JsonTree.parse("{half").isMissingNode()).isTrue();
    assertThat(JsonTree.of(null).isNull()).isTrue();
  }
}
