package dev.holdfast.handler.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.llm.ToolCall;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class CallTextTest {
  private static ToolCall call(String tool, String arguments) {
    return new ToolCall("1", tool, arguments);
  }

  @Test
  @DisplayName("5.4: the same arguments are one text, whatever their order and spaces")
  void canonical() {
    assertThat(CallText.arguments(call("t", "{ \"b\": [1, {\"z\":1,\"y\":2}],\"a\":\"x\" }")))
        .isEqualTo("{\"a\":\"x\",\"b\":[1,{\"y\":2,\"z\":1}]}");
    assertThat(CallText.arguments(call("t", "{\"a\":\"\\u0000\\ud83d.\"}")))
        .isEqualTo("{\"a\":\"\\u0000\\ud83d.\"}");
  }

  @Test
  @DisplayName("5.4: a shape tells tool, keys and values apart, but for free ones")
  void shape() {
    Set<String> free = Set.of("content");
    String shape = CallText.shape(call("write_file", "{\"path\":\"a\",\"content\":\"1\"}"), free);
    assertThat(CallText.shape(call("write_file", "{\"content\":\"2\",\"path\":\"a\"}"), free))
        .isEqualTo(shape);
    assertThat(shape)
        .isNotEqualTo(
            CallText.shape(call("write_file", "{\"path\":\"b\",\"content\":\"1\"}"), free))
        .isNotEqualTo(CallText.shape(call("write_file", "{\"path\":\"a\"}"), free))
        .isNotEqualTo(CallText.shape(call("other", "{\"path\":\"a\",\"content\":\"1\"}"), free));
  }
}
