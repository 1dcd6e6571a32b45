package dev.holdfast.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.queue.TicketEvent;
import dev.holdfast.ticket.HoldfastException;
import dev.holdfast.ticket.TicketState;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class WindowsTest {
  @Test
  @DisplayName("only successes count: a ticket that is tried again is not finished")
  void countsSuccesses() throws InterruptedException {
    Windows windows = new Windows(1, 2);
    windows.on(new TicketEvent.GivenBack(1));
    windows.on(new TicketEvent.StaleResultDropped(1));
    windows.on(new TicketEvent.Succeeded(1, TicketState.DONE, false, Duration.ZERO));
    assertThat(windows.count()).isEqualTo(1);
    windows.on(new TicketEvent.Succeeded(2, TicketState.DONE, true, Duration.ZERO));
    windows.awaitAll(Duration.ZERO);
  }

  @Test
  @DisplayName("a batch may fill several windows at once, and the windows end in order")
  void batches() {
    long start = System.nanoTime();
    Windows windows = new Windows(10, 45);
    windows.add(7);
    windows.add(30);
    windows.add(8);
    List<Double> rates = windows.rates(start);
    assertThat(rates).hasSize(4).allSatisfy(rate -> assertThat(rate).isPositive());
    assertThat(windows.committedRate(start)).isPositive().isFinite();
  }

  @Test
  @DisplayName("a run that does not end says how far it came and what to do")
  void neverEnds() {
    Windows windows = new Windows(10, 20);
    windows.add(7);
    assertThatThrownBy(() -> windows.awaitAll(Duration.ofMillis(1)))
        .isInstanceOf(HoldfastException.class)
        .hasMessage(
            "only 7 of 20 tickets were finished in 0 s; look at the worker's log, or take fewer"
                + " with --tickets");
  }

  @Test
  @DisplayName("what a run has come to is the mean of its last three windows")
  void last() {
    assertThat(Curves.last(List.of(1.0, 1000.0, 50.0, 100.0, 100.0))).isEqualTo(75.0);
    assertThat(Curves.last(List.of(5.0))).isEqualTo(5.0);
  }
}
