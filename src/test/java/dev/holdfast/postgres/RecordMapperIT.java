package dev.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@WithDatabase
@EverySetup
class RecordMapperIT {
  private record Pair(String firstName, int age) {}

  private final Transactions transactions;

  RecordMapperIT(TestDatabase database) {
    this.transactions = new Transactions(database.dataSource());
  }

  private Pair pair(String sql) {
    return transactions.runStatement(
        handle -> handle.createQuery(sql).map(RecordMapper.of(Pair.class)).one());
  }

  @Test
  @DisplayName("a record is made of its columns by name, whatever order the query before had")
  void byName() {
    Pair ann = new Pair("ann", 7);
    assertThat(pair("SELECT 'ann' AS first_name, 7 AS age")).isEqualTo(ann);
    assertThat(pair("SELECT 7 AS age, 'ann' AS first_name")).isEqualTo(ann);
    assertThat(pair("SELECT true AS other, 7 AS age, 'ann' AS first_name")).isEqualTo(ann);
    assertThat(pair("SELECT 'bob' AS first_name, 8 AS age")).isEqualTo(new Pair("bob", 8));
  }
}
