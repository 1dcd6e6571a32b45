package dev.holdfast.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.config.SpendSettings.Budget;
import dev.holdfast.llm.Account;
import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.ChatProvider;
import dev.holdfast.llm.ChatRequest;
import dev.holdfast.llm.StreamListener;
import dev.holdfast.llm.Usage;
import dev.holdfast.llm.account.AccountSettings;
import dev.holdfast.llm.account.OutageSettings;
import dev.holdfast.session.Allowance;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SpendSettingsTest {
  private static AgentSection agents(Map<String, String> flags) {
    return new ConfigLoader(Path.of("nowhere"), Map.of()).load(null, flags).agents();
  }

  private static SpendSettings spend(Map<String, String> flags) {
    return agents(flags).spend();
  }

  @Test
  @DisplayName("without configuration cool-downs are the documented ones, and nothing has a budget")
  void defaults() {
    assertThat(spend(Map.of()))
        .isEqualTo(
            new SpendSettings(
                AccountSettings.DEFAULT,
                OutageSettings.DEFAULT,
                Duration.ofSeconds(1),
                Allowance.NONE,
                List.of()));
  }

  @Test
  @DisplayName("every key of cool-downs has its place")
  void cooldowns() {
    Map<String, String> flags = new HashMap<>();
    flags.put("cooldown.base-delay", "1s");
    flags.put("cooldown.max-delay", "2s");
    flags.put("cooldown.max-hint", "3s");
    flags.put("cooldown.outage-after", "4");
    flags.put("cooldown.spread", "0.5");
    flags.put("cooldown.wait-in-session", "6s");
    flags.put("cooldown.scope", "model");
    flags.put("cooldown.notice-after", "7s");
    flags.put("cooldown.hold-after", "8s");
    flags.put("cooldown.poll-interval", "9s");
    flags.put("budgets.output-tokens", "10");
    flags.put("budgets.unpriced", "refuse");

    SpendSettings read = spend(flags);

    assertThat(read.accounts())
        .isEqualTo(
            new AccountSettings(
                Duration.ofSeconds(1),
                Duration.ofSeconds(2),
                Duration.ofSeconds(3),
                4,
                0.5,
                Duration.ofSeconds(6),
                true,
                10,
                true));
    assertThat(read.outages())
        .isEqualTo(new OutageSettings(Duration.ofSeconds(7), Duration.ofSeconds(8)));
    assertThat(read.pollInterval()).hasSeconds(9);
    assertThat(read.allowance().outputTokens()).isEqualTo(10);
  }

  @Test
  @DisplayName("every limit of tickets and attempts has its place, and agents get them")
  void limits() {
    Map<String, String> flags =
        Map.of(
            "limits.attempt.max-cost-usd", "1.5",
            "limits.attempt.max-tokens", "2",
            "limits.ticket.max-cost-usd", "3.5",
            "limits.ticket.max-tokens", "4",
            "limits.ticket.max-calls", "5",
            "limits.ticket.max-time", "6m");

    Allowance read = spend(flags).allowance();

    assertThat(read)
        .isEqualTo(
            new Allowance(
                "ticket",
                new BigDecimal("3.5"),
                4,
                5,
                Duration.ofMinutes(6),
                new BigDecimal("1.5"),
                2,
                8192));
    assertThat(agents(flags).handler().allowance()).isEqualTo(read);
    assertThat(spend(Map.of("limits.ticket.max-cost-usd", "0")).allowance().costUsd())
        .as("an amount of nothing is a limit, no amount is none")
        .isZero();
  }

  @Test
  @DisplayName("budgets of all, of designs and of keys; a day where they do not say")
  void budgets() {
    assertThat(
            spend(
                    Map.of(
                        "budgets.per-day",
                        "20",
                        "budgets.per-design",
                        "[{design: a, usd: 1.50}, {design: a, usd: 0, per: total}, {design: b, usd:"
                            + " 3, per: day}]",
                        "budgets.per-key",
                        "[{provider: openai, key: key-1, usd: 4}, {provider: openai, key: '*',"
                            + " usd: '5', per: total}]"))
                .budgets())
        .containsExactly(
            new Budget("day", "day", new BigDecimal("20")),
            new Budget("design:a", "day", new BigDecimal("1.5")),
            new Budget("design:a", "total", new BigDecimal("0")),
            new Budget("design:b", "day", new BigDecimal("3")),
            new Budget("key:openai/key-1", "day", new BigDecimal("4")),
            new Budget("key:openai/*", "total", new BigDecimal("5")));
  }

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          design | [{usd: 1}]                                         | design is missing
          design | [{design: , usd: 1}]                               | design is missing
          design | [{design: ' ', usd: 1}]                            | design must be text
          design | [{design: 5, usd: 1}]                              | design must be text; put it in quotes
          design | [{design: a}]                                      | usd must be an amount of USD
          design | [{design: a, usd: }]                               | usd must be an amount of USD
          design | [{design: a, usd: 5 USD}]                          | usd must be an amount of USD
          design | [{design: a, usd: .nan}]                           | usd must be an amount of USD
          design | [{design: a, usd: [1]}]                            | usd must be an amount of USD
          design | [{design: a, usd: -0.01}]                          | usd must be from 0 to 1000000000
          design | [{design: a, usd: 1000000001}]                     | usd must be from 0 to 1000000000
          design | [{design: a, usd: '1e-999999999'}]                 | usd must be from 0 to 1000000000
          design | [{design: a, usd: '0e999999999'}]                  | usd must be from 0 to 1000000000
          design | [{design: a, usd: 1, per: week}]                   | per must be day or total
          design | [{design: a, usd: 1, per: }]                       | per must be day or total
          design | [{design: a, usd: 1, Per: day}]                    | it may have the keys [design, per, usd]
          design | [{design: a, usd: 1, provider: b}]                 | it may have the keys [design, per, usd]
          design | [{design: a, usd: 1}, {design: a, usd: 2}]         | there is another one for it; keep one
          key    | [{key: key-1, usd: 1}]                             | provider is missing
          key    | [{provider: a, usd: 1}]                            | key is missing
          key    | [{provider: a, key: 1, usd: 1}]                    | key must be text; put it in quotes
          key    | [{provider: a, key: b, usd: 1, design: c}]         | it may have the keys [key, per, provider, usd]
          key    | [{provider: a, key: b, usd: 1, per: day}, {provider: a, key: b, usd: 1}] | there is another one for it; keep one
          """)
  @DisplayName("a budget that cannot be stops the start: the line names the key and the budget")
  void noBudget(String kind, String given, String why) {
    String key = "budgets.per-" + kind;
    assertThatThrownBy(() -> spend(Map.of(key, given)))
        .isInstanceOf(ConfigException.class)
        .hasMessageStartingWith(key + ": the budget {")
        .hasMessageContaining("} cannot be: " + why);
  }

  private record Provider(String name, List<Account> accounts) implements ChatProvider {
    static Provider of(String name, String... ids) {
      return new Provider(
          name,
          java.util.stream.IntStream.range(0, ids.length)
              .mapToObj(at -> new Account(name, ids[at], "key-" + (at + 1)))
              .toList());
    }

    @Override
    public CallResult call(ChatRequest request, StreamListener stream) {
      throw new AssertionError("nobody is called");
    }

    @Override
    public Optional<BigDecimal> cost(String model, Usage usage) {
      return Optional.empty();
    }

    @Override
    public void close() {}
  }

  @ParameterizedTest
  @CsvSource({
    "day, day",
    "design:key:openai/*, design:key:openai/*",
    "key:openai/key-1, key:openai/id-a",
    "key:openai/key-2, key:openai/id-b",
    "key:openai/*, 'key:openai/id-a,key:openai/id-b'",
    "key:other/*, key:other/id-c",
  })
  @DisplayName("a budget of a key is stored under the key's id, which is the same on every worker")
  void scopes(String scope, String stored) {
    List<ChatProvider> providers =
        List.of(Provider.of("openai", "id-a", "id-b"), Provider.of("other", "id-c"));
    assertThat(new Budget(scope, "day", BigDecimal.ONE).scopes(providers))
        .containsExactly(stored.split(","));
  }

  @ParameterizedTest
  @CsvSource({"openai/key-3", "openai/id-a", "open/key-1", "nobody/*", "openai/"})
  @DisplayName("a budget of a key that nobody has is refused by its name")
  void noSuchKey(String scope) {
    List<ChatProvider> providers = List.of(Provider.of("openai", "id-a", "id-b"));
    assertThatThrownBy(() -> new Budget("key:" + scope, "day", BigDecimal.ONE).scopes(providers))
        .isInstanceOf(ConfigException.class)
        .hasMessageStartingWith("budgets.per-key: there is no " + scope + ";")
        .hasMessageContaining("key-1");
  }
}
