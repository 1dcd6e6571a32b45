package dev.holdfast.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.failure.Classifier;
import dev.holdfast.queue.Finish;
import dev.holdfast.secret.Secrets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class TicketRunTest {
  private final List<TicketRun> ended = new ArrayList<>();

  private Finish finish(Tracing.Claim claim) {
    new TicketRun(
            Claimed.ticket(1),
            context -> HandlerResult.done("1"),
            Classifier.standard(),
            new FinishRedaction(Secrets.NONE),
            id -> true,
            claim,
            ended::add)
        .run();
    assertThat(ended).as("whoever frees the slot hears of it once").hasSize(1);
    return ended.getFirst().finish();
  }

  @Test
  @DisplayName("A47: an attempt that cannot begin for a missing class ends and frees its slot")
  void cannotBegin() {
    Finish finish =
        finish(
            ticket -> {
              throw new NoClassDefFoundError("dev/holdfast/app/Traces");
            });
    assertThat(finish).isInstanceOf(Finish.Failed.class);
  }

  @Test
  @DisplayName("A47: an attempt whose end cannot be traced ends as it did and frees its slot")
  void cannotBeTraced() {
    Finish finish =
        finish(
            ticket ->
                outcome -> {
                  throw new NoClassDefFoundError("dev/holdfast/app/Traces");
                });
    assertThat(finish).isInstanceOf(Finish.Succeeded.class);
  }
}
