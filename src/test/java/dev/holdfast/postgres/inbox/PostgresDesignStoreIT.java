package dev.holdfast.postgres.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.postgres.TestSql;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.ticket.Design;
import dev.holdfast.ticket.InvalidInputException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@WithDatabase
@EverySetup
class PostgresDesignStoreIT {
  private final TestSql sql;
  private final PostgresDesignStore store;

  PostgresDesignStoreIT(TestDatabase database) {
    this.sql = new TestSql(database.dataSource());
    this.store = new PostgresDesignStore(database.dataSource());
  }

  @Test
  @DisplayName("A41: a changed document is a new version, the same one is not")
  void versions() {
    Design first = store.put("d", "command", "{\"a\": 1, \"b\": 2}", "dora");
    assertThat(first.version()).isOne();
    assertThat(store.put("d", "command", "{ \"b\":2,\"a\":1 }", "eve")).isEqualTo(first);
    Design second = store.put("d", "command", "{\"a\": 2}", "eve");
    assertThat(second.version()).isEqualTo(2);
    assertThat(store.find("d")).contains(second);
    assertThat(store.put("d", "command", "{\"a\": 1, \"b\": 2}", "dora").version())
        .describedAs("back to an older document")
        .isEqualTo(3);
    assertThat(store.list()).extracting(Design::name, Design::version).contains(tuple("d", 3));
    assertThat(store.find("unknown")).isEmpty();
    assertThat(
            sql.column("SELECT created_by FROM holdfast.designs WHERE name = 'd' ORDER BY version"))
        .containsExactly("dora", "eve", "dora");
  }

  private static org.assertj.core.groups.Tuple tuple(Object... values) {
    return org.assertj.core.groups.Tuple.tuple(values);
  }

  @Test
  @DisplayName("several people putting at once each get a version of their own")
  void concurrent() throws Exception {
    List<Callable<Design>> puts =
        IntStream.range(0, 8)
            .mapToObj(
                i ->
                    (Callable<Design>)
                        () -> store.put("busy", "command", "{\"n\": " + i + "}", "dora"))
            .toList();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (var put : threads.invokeAll(puts)) {
        assertThat(put.get().name()).isEqualTo("busy");
      }
    }
    assertThat(
            sql.column("SELECT version FROM holdfast.designs WHERE name = 'busy' ORDER BY version"))
        .containsExactly("1", "2", "3", "4", "5", "6", "7", "8");
  }

  @Test
  @DisplayName("a stored version is never changed in place")
  void immutable() {
    store.put("fixed", "command", "{}", "dora");
    TestSql.Refusal refusal =
        sql.refusal("UPDATE holdfast.designs SET kind = 'agent' WHERE name = 'fixed'");
    assertThat(refusal.sqlState()).isEqualTo("HF409");
    assertThat(refusal.message()).contains("design fixed version 1 is never changed in place");
  }

  @Test
  @DisplayName("bad names and documents are refused in words")
  void badInput() {
    assertThatThrownBy(() -> store.put("a b", "command", "{}", "dora"))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("a design is named with 1 to 100 letters");
    assertThatThrownBy(() -> store.put("a", "", "{}", "dora"))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("a kind is named with");
    assertThatThrownBy(() -> store.put("a", "command", "[]", "dora"))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("must be a JSON object");
    assertThatThrownBy(() -> store.put("a", "command", "{", "dora"))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("invalid input syntax for type json");
  }
}
