package dev.holdfast.ticket;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TransitionTest {
  private static Set<String> reachable(TicketState from) {
    Set<String> reachable = new TreeSet<>();
    for (TicketState to : TicketState.values()) {
      if (Transition.isLegal(from, to)) {
        reachable.add(to.wireName());
      }
    }
    return reachable;
  }

  @Test
  @DisplayName("A2, A3, A4, A58: the whole table, and nothing besides")
  void table() {
    Map<String, Set<String>> table = new TreeMap<>();
    for (TicketState from : TicketState.values()) {
      table.put(from.wireName(), reachable(from));
    }
    assertThat(table)
        .isEqualTo(
            Map.of(
                "ready", Set.of("in_progress", "on_hold", "cancelled"),
                "in_progress", Set.of("needs_review", "done", "ready", "on_hold", "cancelled"),
                "needs_review", Set.of("done", "ready", "cancelled"),
                "on_hold", Set.of("ready", "cancelled"),
                "done", Set.of(),
                "cancelled", Set.of()));
  }

  @Test
  @DisplayName("A58: only CANCEL leads to cancelled")
  void cancelled() {
    assertThat(Arrays.stream(Transition.values()).filter(t -> t.to() == TicketState.CANCELLED))
        .containsExactly(Transition.CANCEL);
  }

  @ParameterizedTest
  @EnumSource(TicketState.class)
  @DisplayName("final states are those that nothing leaves, and no state leads to itself")
  void finalStates(TicketState state) {
    assertThat(state.isFinal()).isEqualTo(reachable(state).isEmpty());
    assertThat(reachable(state)).doesNotContain(state.wireName());
    assertThat(TicketState.ofWireName(state.wireName())).hasValue(state);
  }

  @Test
  @DisplayName("names on the wire")
  void names() {
    assertThat(Transition.SUCCEED_WITHOUT_REVIEW.wireName()).isEqualTo("succeed_without_review");
    assertThat(TicketState.ofWireName("IN_PROGRESS")).isEmpty();
    assertThat(Transition.RELEASE.isLegalFrom(TicketState.ON_HOLD)).isTrue();
    assertThat(Transition.RELEASE.isLegalFrom(TicketState.READY)).isFalse();
  }
}
