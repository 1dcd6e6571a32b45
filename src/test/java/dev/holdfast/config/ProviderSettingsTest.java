package dev.holdfast.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.llm.Price;
import dev.holdfast.llm.Usage;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("providers.<name>")
class ProviderSettingsTest {
  private static final String SECRET = "sk-hunter2";

  @TempDir Path directory;

  private AgentSection load(String yaml, Map<String, String> environment) throws IOException {
    Files.writeString(directory.resolve("holdfast.yaml"), yaml);
    return new ConfigLoader(directory, environment).load(null, Map.of()).agents();
  }

  private static List<String> names(AgentSection settings) {
    return settings.providers().stream().map(each -> each.settings().name()).toList();
  }

  @Test
  @DisplayName("the vendors' own variables are enough; nothing else makes a provider")
  void usualVariables() throws IOException {
    assertThat(load("", Map.of()).providers()).isEmpty();
    AgentSection both =
        load("", Map.of("OPENAI_API_KEY", SECRET, "ANTHROPIC_API_KEY", "  " + SECRET + "2\n"));
    assertThat(names(both)).containsExactly("anthropic", "openai");
    assertThat(both.providers().getFirst().type()).isEqualTo(ProviderType.ANTHROPIC);
    assertThat(both.providers().getFirst().settings().keys()).containsExactly(SECRET + "2");
    assertThat(both.providers().getLast().type()).isEqualTo(ProviderType.OPENAI);
    assertThat(both.providers().getLast().settings().baseUrl()).isNull();
    assertThat(both.toString()).doesNotContain(SECRET);
  }

  @Test
  @DisplayName("what is meant for Holdfast beats OPENAI_API_KEY; a base URL points it elsewhere")
  void precedence() throws IOException {
    AgentSection settings =
        load(
            "providers: {openai: {api-key: from-file}}",
            Map.of("OPENAI_API_KEY", SECRET, "HOLDFAST_PROVIDERS_OPENAI_BASE_URL", "http://gw/v1"));
    assertThat(settings.providers().getFirst().settings().keys()).containsExactly("from-file");
    assertThat(settings.providers().getFirst().settings().baseUrl()).isEqualTo("http://gw/v1");
    AgentSection several =
        load(
            "providers: {openai: {api-keys: [a, b]}}",
            Map.of("OPENAI_API_KEY", SECRET, "HOLDFAST_PROVIDERS_OPENAI_API_KEY", "b"));
    assertThat(several.providers().getFirst().settings().keys()).containsExactly("b", "a");
  }

  @Test
  @DisplayName("any name; hyphen and underscore are one in it; a server may want no key")
  void ownNames() throws IOException {
    AgentSection settings =
        load(
            """
            providers:
              my_gateway:
                base_url: http://localhost:8000/v1
                prices:
                  - {model: "big-*", input: 3, output: 15, cache-read: 0.3}
              local: {base-url: "http://localhost:11434/v1"}
            """,
            Map.of("HOLDFAST_PROVIDERS_MY_GATEWAY_API_KEYS", "x,y"));
    assertThat(names(settings)).containsExactly("local", "my-gateway");
    ProviderEntry gateway = settings.providers().getLast();
    assertThat(gateway.settings().keys()).containsExactly("x", "y");
    assertThat(gateway.settings().prices().cost("big-1", new Usage(0, 1_000_000, 0, 1_000_000)))
        .hasValueSatisfying(cost -> assertThat(cost).isEqualByComparingTo("15.3"));
    assertThat(settings.providers().getFirst().settings().keys()).isEmpty();
  }

  @Test
  @DisplayName("the numbers of calls, turns and tools have their documented defaults")
  void defaults() throws IOException {
    AgentSection settings = load("", Map.of());
    assertThat(settings.handler().llmTimeout()).isEqualTo(Duration.ofMinutes(2));
    assertThat(settings.handler().maxCalls()).isEqualTo(60);
    assertThat(settings.handler().autoRetry())
        .isEqualTo(dev.holdfast.session.retry.AutoRetrySettings.DEFAULT);
    assertThat(settings.handler().tools()).isEqualTo(dev.holdfast.tool.ToolSettings.defaults());
    assertThat(load("session.retry: {max-retries: 1}", Map.of()).handler().autoRetry().maxRetries())
        .isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "providers: {openai: {api-kee: sk-hunter2}}|providers.openai.api-kee",
        "providers: {openai: {type: opnai, api-key: sk-hunter2}}|openai, anthropic, scripted",
        "providers: {openai: {api-key: 'sk-hunter2 x'}}|providers.openai.api-key: ***",
        "providers: {openai: {base-url: 'ftp://x'}}|an http or https URL",
        "providers: {groq: {type: openai}}|HOLDFAST_PROVIDERS_GROQ_API_KEY",
        "providers: {demo: {type: scripted}}|providers.demo.script: is missing",
        "providers: {demo: {script: a.yaml, api-key: sk-hunter2}}|only for a provider of type"
            + " scripted",
        "providers: {a b: {type: openai}}|unknown key providers.a b",
        "providers: openai|providers in holdfast.yaml: is one value",
        "providers: {openai: sk-hunter2}|providers.openai in holdfast.yaml: is one value",
        "providers: {o: {api-key: k, prices: [{model: m, input: 1}]}}|output must be an amount",
        "providers: {o: {api-key: k, prices: [{model: m, inptu: 1}]}}|it may have the keys",
      })
  @DisplayName("a mistake stops the start with one line that names the key, and never the secret")
  void mistakes(String yaml, String words) {
    assertThatThrownBy(() -> load(yaml, Map.of()))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining(words)
        .message()
        .doesNotContain("\n", "hunter2");
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "{input: 1, output: 2}|model is missing",
        "{model: ' ', input: 1, output: 2}|model must be text; put it in quotes",
        "{model: 4, input: 1, output: 2}|model must be text; put it in quotes",
        "{model: m, output: 2}|input must be an amount of USD",
        "{model: m, input: , output: 2}|input must be an amount of USD",
        "{model: m, input: $1, output: 2}|input must be an amount of USD",
        "{model: m, input: .nan, output: 2}|input must be an amount of USD",
        "{model: m, input: 1, output: -2}|output must be from 0 to 1000000000",
        "{model: m, input: 1, output: '1e999999999'}|output must be from 0 to 1000000000",
        "{model: m, input: 1, output: '1e-999999999'}|output must be from 0 to 1000000000",
        "{model: m, input: 1, output: 2, cache-read: x}|cache-read must be an amount of USD",
        "{model: m, input: 1, output: 2, cache-write: -1}|cache-write must be from 0 to 1000000000",
        "{model: m, input: 1, output: 2, cached: 1}|it may have the keys [cache-read, cache-write,"
            + " input, model, output]",
        "{model: m, input: 1, output: 2}, {model: m, input: 0, output: 0}|the model has another"
            + " one",
      })
  @DisplayName("a price that cannot be stops the start: the line names the key and the price")
  void noPrice(String price, String why) {
    assertThatThrownBy(
            () -> load("providers: {o: {api-key: k, prices: [" + price + "]}}", Map.of()))
        .isInstanceOf(ConfigException.class)
        .hasMessageStartingWith("providers.o.prices: the price {")
        .hasMessageContaining("} cannot be: " + why);
  }

  @Test
  @DisplayName("without prices of its own the cache costs what the input costs")
  void cachePrices() throws IOException {
    String prices =
        "[{model: a, input: 1, output: 2}, {model: b, input: 1, output: 2, cache-write: 0}]";
    AgentSection settings = load("providers: {o: {api-key: k, prices: " + prices + "}}", Map.of());
    assertThat(settings.providers().getFirst().settings().prices().byModel())
        .isEqualTo(
            Map.of(
                "a",
                Price.of(BigDecimal.ONE, BigDecimal.TWO),
                "b",
                new Price(BigDecimal.ONE, BigDecimal.ONE, BigDecimal.ZERO, BigDecimal.TWO)));
  }
}
