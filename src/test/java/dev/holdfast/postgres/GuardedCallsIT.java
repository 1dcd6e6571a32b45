package dev.holdfast.postgres;

import static dev.holdfast.testing.ModelBehaviour.error;
import static dev.holdfast.testing.ModelBehaviour.rawStream;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.ChatProvider;
import dev.holdfast.llm.ChatRequest;
import dev.holdfast.llm.Message;
import dev.holdfast.llm.Price;
import dev.holdfast.llm.Prices;
import dev.holdfast.llm.ProviderSettings;
import dev.holdfast.llm.RetryContext;
import dev.holdfast.llm.Standstill;
import dev.holdfast.llm.StreamListener;
import dev.holdfast.llm.ToolChoice;
import dev.holdfast.llm.Usage;
import dev.holdfast.llm.account.AccountBench;
import dev.holdfast.llm.account.AccountCache;
import dev.holdfast.llm.account.AccountListener;
import dev.holdfast.llm.account.AccountSettings;
import dev.holdfast.llm.account.Accounts;
import dev.holdfast.llm.account.CallOf;
import dev.holdfast.llm.openai.OpenAiApi;
import dev.holdfast.llm.wire.WireProvider;
import dev.holdfast.postgres.session.PostgresAccountStore;
import dev.holdfast.retry.Sleeper;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.ModelServer;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import java.math.BigDecimal;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Guarded calls against a model's server, with prices, keys and clocks that are not as hoped. */
@WithDatabase
@Timeout(120)
@EverySetup
class GuardedCallsIT {
  private static final BigDecimal USD_PER_TOKEN = new BigDecimal("0.001");
  private static final Instant LONG_AGO = Instant.parse("2001-01-01T00:00:00Z");
  private static final Instant FAR_OFF = Instant.parse("2051-01-01T00:00:00Z");

  private final TestDatabase database;
  private final TicketDatabase sql;
  private final ModelServer models = ModelServer.start();
  private final List<ChatProvider> open = new ArrayList<>();

  GuardedCallsIT(TestDatabase database) {
    this.database = database;
    this.sql = new TicketDatabase(database);
  }

  @BeforeEach
  void empty() {
    for (String table : List.of("provider_cooldowns", "budgets", "budget_reservations")) {
      sql.run("DELETE FROM holdfast." + table);
    }
    store(AccountSettings.DEFAULT).configure("day", "day", BigDecimal.TEN);
  }

  @AfterEach
  void close() {
    open.forEach(ChatProvider::close);
    models.close();
  }

  private PostgresAccountStore store(AccountSettings settings) {
    return new PostgresAccountStore(database.dataSource(), "holdfast", settings, "one");
  }

  private static AccountSettings settings(boolean refuseUnpriced) {
    return AccountBench.settings(0, AccountSettings.DEFAULT.limitsPerModel(), refuseUnpriced);
  }

  /** One attempt of a worker whose wall clock shows this; only {@code priced} has a price. */
  private ChatProvider guarded(boolean refuseUnpriced, Instant wallClock) {
    Price price = Price.of(new BigDecimal("1000"), new BigDecimal("1000"));
    ChatProvider provider =
        new WireProvider(
            new ProviderSettings(
                "openai", models.openAiUrl(), List.of("k"), new Prices(Map.of("priced", price))),
            new OpenAiApi("openai", models.openAiUrl()),
            call -> {},
            System::nanoTime,
            Clock.fixed(wallClock, ZoneOffset.UTC));
    open.add(provider);
    AccountSettings settings = settings(refuseUnpriced);
    AccountCache book = new AccountCache(store(settings), settings, System::nanoTime, () -> 0);
    assertThat(book.refresh()).isTrue();
    return new Accounts(book, Sleeper.REAL, AccountListener.NONE)
        .guard(
            provider,
            new CallOf(1, 1, "fixer", new RetryContext(Duration.ofHours(1), 0, System::nanoTime)));
  }

  private static CallResult call(ChatProvider guarded, String model) throws InterruptedException {
    ChatRequest request =
        new ChatRequest(
            model,
            "",
            List.of(new Message.User("0123456789")),
            List.of(),
            ToolChoice.AUTO,
            100,
            Duration.ofSeconds(20));
    return guarded.call(request, StreamListener.NONE);
  }

  private static Usage usage(CallResult result) {
    return ((CallResult.Answer) result).usage();
  }

  private BigDecimal booked(String what) {
    return new BigDecimal(sql.value("SELECT " + what + "_usd FROM holdfast.budgets"));
  }

  private void answersWithoutUsage() {
    models.always(
        rawStream(
            """
            data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"nine char"},"finish_reason":null}]}

            data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}

            data: [DONE]

            """));
  }

  @Test
  @DisplayName("5.3: where a provider reports no usage, an estimate is booked and told")
  void noUsage() throws Exception {
    answersWithoutUsage();

    Usage estimate = usage(call(guarded(false, LONG_AGO), "priced"));

    // 8 for the message and 4 for its 10 bytes; 3 for the answer's 9 and one more.
    assertThat(estimate).isEqualTo(new Usage(12, 0, 0, 4));
    assertThat(booked("spent"))
        .isEqualByComparingTo(USD_PER_TOKEN.multiply(BigDecimal.valueOf(16)));
    assertThat(booked("reserved")).isZero();
  }

  @Test
  @DisplayName("5.3: tokens are estimated for a model without a price too, so that limits bound it")
  void noUsageNoPrice() throws Exception {
    answersWithoutUsage();
    assertThat(usage(call(guarded(false, LONG_AGO), "free"))).isEqualTo(new Usage(12, 0, 0, 4));
    assertThat(booked("spent")).isZero();
  }

  @Test
  @DisplayName("5.3: budgets.unpriced: a model without a price is called, or refused unsent")
  void unpriced() throws Exception {
    assertThat(call(guarded(false, LONG_AGO), "free")).isInstanceOf(CallResult.Answer.class);
    assertThat(booked("spent")).isZero();
    assertThat(models.requests()).hasSize(1);

    assertThat(call(guarded(true, LONG_AGO), "free"))
        .isInstanceOfSatisfying(
            CallResult.Refused.class,
            each -> {
              assertThat(each.why().kind()).isEqualTo(Standstill.Kind.BUDGET);
              assertThat(each.why().left()).isNull();
              assertThat(each.why().words())
                  .isEqualTo(
                      "openai/free has no price, so that budget day cannot bound it:"
                          + " set providers.<name>.prices");
            });
    assertThat(models.requests()).as("nothing was sent").hasSize(1);

    assertThat(call(guarded(true, LONG_AGO), "priced")).isInstanceOf(CallResult.Answer.class);
    sql.run("DELETE FROM holdfast.budgets");
    assertThat(call(guarded(true, LONG_AGO), "free"))
        .as("without a budget no price is needed")
        .isInstanceOf(CallResult.Answer.class);
  }

  @Test
  @DisplayName("5.2: workers whose clocks are off by years share cool-downs and the budget's day")
  void clocks() throws Exception {
    Instant now = Instant.parse(sql.value("SELECT to_char(now() AT TIME ZONE 'UTC', ?)", ISO));
    String told = DateTimeFormatter.RFC_1123_DATE_TIME.format(now.atOffset(ZoneOffset.UTC));
    String until =
        DateTimeFormatter.RFC_1123_DATE_TIME.format(now.plusSeconds(240).atOffset(ZoneOffset.UTC));
    call(guarded(false, LONG_AGO), "priced");
    call(guarded(false, FAR_OFF), "priced");
    assertThat(sql.column("SELECT spent_usd::text FROM holdfast.budgets")).hasSize(1);
    assertThat(booked("spent")).as("one day").isEqualByComparingTo("0.030");

    models.always(
        error(429, "rate_limit_exceeded", "no", Map.of("retry-after", until, "date", told)));
    call(guarded(false, FAR_OFF), "priced");
    int sent = models.requests().size();

    for (Instant clock : List.of(LONG_AGO, FAR_OFF)) {
      CallResult.Refused refused = (CallResult.Refused) call(guarded(false, clock), "priced");
      @Nullable Duration left = refused.why().left();
      assertThat(left).isBetween(Duration.ofSeconds(120), Duration.ofSeconds(242));
    }
    assertThat(models.requests()).as("nobody calls").hasSize(sent);
  }

  private static final String ISO = "YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"";
}
