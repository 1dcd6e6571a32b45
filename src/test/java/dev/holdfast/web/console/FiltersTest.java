package dev.holdfast.web.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.queue.read.TicketFilter;
import dev.holdfast.ticket.TicketState;
import dev.holdfast.web.console.view.Filters;
import dev.holdfast.web.console.view.Links;
import dev.holdfast.web.console.view.SqlText;
import java.lang.reflect.RecordComponent;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FiltersTest {
  private static Filters of(Map<String, String> address) {
    return Filters.of(address::get);
  }

  @Test
  @DisplayName(
      "a form is given all of a filter: who acts on all that match acts on no ticket that was not"
          + " shown")
  void parameters() throws ReflectiveOperationException {
    Map<String, String> all =
        Map.ofEntries(
            Map.entry("state", "on_hold"),
            Map.entry("queue", "mail"),
            Map.entry("kind", "command"),
            Map.entry("design", "letters"),
            Map.entry("category", "transient"),
            Map.entry("fingerprint", "12345678"),
            Map.entry("q", "a b"),
            Map.entry("assignee", "ann"),
            Map.entry("batch", "7"),
            Map.entry("from", "2026-11-01"),
            Map.entry("to", "2026-11-02"));
    Filters filters = of(all);
    assertThat(filters.problems()).isEmpty();
    assertThat(filters.parameters()).containsExactlyInAnyOrderEntriesOf(all);
    for (RecordComponent each : TicketFilter.class.getRecordComponents()) {
      if (!each.getName().equals("beforeId")) {
        assertThat(each.getAccessor().invoke(filters.query())).as(each.getName()).isNotNull();
      }
    }
  }

  @Test
  @DisplayName("the address is the filter: read and written again it is the same")
  void roundTrip() {
    Filters filters =
        of(
            Map.of(
                "state",
                "on_hold",
                "q",
                "a b&c",
                "from",
                "2026-11-01",
                "to",
                "2026-11-30",
                "category",
                "transient",
                "before",
                "17"));
    TicketFilter query = filters.query();
    assertThat(filters.problems()).isEmpty();
    assertThat(query.state()).isEqualTo(TicketState.ON_HOLD);
    assertThat(query.createdBefore())
        .as("the day is in it")
        .isEqualTo(Instant.parse("2026-12-01T00:00:00Z"));
    assertThat(filters.next("/tickets", 9))
        .isEqualTo(
            "/tickets?state=on_hold&category=transient&q=a+b%26c&from=2026-11-01&to=2026-11-30"
                + "&before=9");
  }

  @ParameterizedTest
  @CsvSource({
    "state,running",
    "category,hopeless",
    "from,yesterday",
    "from,-999999999-01-01",
    "to,+12026-01-01",
    "before,seven"
  })
  @DisplayName("what cannot be understood is named and does not filter")
  void garbage(String name, String value) {
    Filters filters = of(Map.of(name, value));
    assertThat(filters.problems()).hasSize(1);
    assertThat(filters.query()).isEqualTo(TicketFilter.all(Filters.PAGE));
  }

  @Test
  @DisplayName("empty fields, NUL and endless texts do no harm")
  void edges() {
    assertThat(of(Map.of("q", " ", "state", "")).query()).isEqualTo(TicketFilter.all(Filters.PAGE));
    assertThat(of(Map.of("q", "a\0b")).query().text()).isEqualTo("ab");
    assertThat(of(Map.of("q", "x".repeat(9_000))).query().text()).hasSize(200);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"//evil.example", "https://evil.example", "/\\evil.example", "/a b", "", "/a\nb"})
  @DisplayName("a form never leads to another site")
  void back(String wanted) {
    assertThat(Links.back(wanted, "/tickets/1")).isEqualTo("/tickets/1");
    assertThat(Links.back("/tickets?q=1", "/")).isEqualTo("/tickets?q=1");
  }

  @Test
  @DisplayName("copied SQL quotes what somebody else wrote")
  void sql() {
    String sql = SqlText.tickets(TicketFilter.all(50).withText("it's \\ a '; DROP TABLE x; --"));
    assertThat(sql).contains("title ILIKE E'%it''s \\\\\\\\ a ''; DROP TABLE x; --%'");
    assertThat(SqlText.group("", "unknown"))
        .contains("error_fingerprint IS NULL AND error_category = 'unknown'");
  }
}
