package dev.holdfast.cli.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.cli.Cli;
import dev.holdfast.llm.ProviderKey;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which budget a person means by a scope. */
@WithDatabase
@EverySetup
class BudgetsCommandIT {
  private static final String FIRST = "key:openai/" + new ProviderKey("key-1", "sk-one").id();
  private static final String SECOND = "key:openai/" + new ProviderKey("key-2", "sk-two").id();

  private final TestDatabase database;
  private final Cli cli;

  BudgetsCommandIT(TestDatabase database) throws SQLException {
    this.database = database;
    Map<String, String> environment = new HashMap<>(Cli.on(database).environment());
    environment.put("HOLDFAST_PROVIDERS_OPENAI_API_KEYS", "sk-one,sk-two");
    this.cli = new Cli(environment, Path.of("no-such-directory"));
    Cli.query(database, "WITH gone AS (DELETE FROM holdfast.budgets) SELECT 1");
  }

  private String budgets() throws SQLException {
    return Cli.query(
        database,
        "SELECT string_agg(scope || ' ' || limit_usd, ', ' ORDER BY scope) FROM holdfast.budgets");
  }

  @Test
  @DisplayName("a budget of a key is raised and removed by its label, by its id, or for all keys")
  void labels() throws SQLException {
    assertThat(cli.run("budgets", "raise", "key:openai/key-2", "--to", "3").out())
        .isEqualTo("set " + SECOND + " to 3 USD: released 0\n");
    assertThat(cli.run("budgets", "raise", SECOND, "--to", "4").code()).isZero();
    assertThat(budgets()).isEqualTo(SECOND + " 4");
    assertThat(cli.run("budgets", "raise", "key:openai/*", "--to", "5").lines()).hasSize(2);
    assertThat(budgets().split(", ")).containsExactlyInAnyOrder(FIRST + " 5", SECOND + " 5");
    assertThat(cli.run("budgets", "remove", "key:openai/key-1").code()).isZero();
    assertThat(budgets()).isEqualTo(SECOND + " 5");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"key:openai/key-3", "key:nosuch/zzz", "key:nosuch/*", "key:openai/0123456789ab"})
  @DisplayName("a key that no provider has is refused by its name, and makes no budget")
  void unknown(String scope) throws SQLException {
    Cli.Result result = cli.run("budgets", "raise", scope, "--to", "1");
    assertThat(result.code()).isEqualTo(2);
    assertThat(result.err()).contains("there is no " + scope + " in this configuration");
    assertThat(Cli.query(database, "SELECT count(*) FROM holdfast.budgets")).isEqualTo("0");
  }

  @Test
  @DisplayName("a budget that is there can be raised and removed though its key is no more")
  void oldKey() throws SQLException {
    String old = "key:openai/0123456789ab";
    Cli.query(database, "SELECT holdfast.raise_budget('" + old + "', 1, 'ann')");
    assertThat(cli.run("budgets", "raise", old, "--to", "2").code()).isZero();
    assertThat(budgets()).isEqualTo(old + " 2");
    assertThat(cli.run("budgets", "remove", old).code()).isZero();
  }

  @Test
  @DisplayName(
      "a budget that is set or removed, and a provider that is mended, by a command has the channel"
          + " cli")
  void channel() throws SQLException {
    Cli.query(
        database,
        "WITH closed AS (INSERT INTO holdfast.provider_cooldowns (provider, key_id, until, reason,"
            + " reported_by) VALUES ('closed', 'abc', 'infinity', 'auth', 'w')) SELECT 1");
    String before =
        Cli.query(database, "SELECT COALESCE(max(id), 0) FROM holdfast.ticket_activity");
    assertThat(cli.run("budgets", "raise", "day", "--to", "3").code()).isZero();
    assertThat(cli.run("budgets", "remove", "day").code()).isZero();
    assertThat(cli.run("providers", "mend", "closed").code()).isZero();
    assertThat(
            Cli.query(
                database,
                "SELECT string_agg(action || ' ' || channel, ', ' ORDER BY id) FROM"
                    + " holdfast.ticket_activity WHERE id > "
                    + before))
        .isEqualTo("budget_raised cli, budget_removed cli, provider_mended cli");
  }
}
