package dev.holdfast.postgres.inbox;

import dev.holdfast.queue.Expiry;
import dev.holdfast.queue.NewTicket;
import dev.holdfast.queue.NewTicket.Following;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * A call of {@code holdfast.enqueue_ticket} that names only what the ticket has. The function knows
 * the defaults of the rest, and what is not sent need not be read. For one use by one thread.
 */
final class EnqueueCall {
  private final StringJoiner names = new StringJoiner(", ", "holdfast.enqueue_ticket(", ")");
  private final List<Object> values = new ArrayList<>();
  private @Nullable String traceparent;

  private EnqueueCall() {}

  static EnqueueCall of(NewTicket ticket) {
    EnqueueCall call = new EnqueueCall();
    call.add("kind => ?", ticket.kind());
    call.add("payload => ?::jsonb", ticket.payload());
    call.add("queue => ?", ticket.queue());
    call.add("title => ?", ticket.title());
    call.add("design => ?", ticket.design());
    call.add("priority => ?", ticket.priority() == 0 ? null : ticket.priority());
    if (ticket.runAt() != null) {
      call.add("run_at => ?", ticket.runAt().atOffset(ZoneOffset.UTC));
    } else {
      // The database's clock counts the delay.
      call.add("run_at => now() + ? * interval '1 microsecond'", micros(ticket.delay()));
    }
    call.add("unique_key => ?", ticket.uniqueKey());
    call.add("max_cost_usd => ?", ticket.maxCostUsd());
    call.add("after => ?", ticket.after().isEmpty() ? null : ticket.after().toArray(Long[]::new));
    switch (ticket.expiry()) {
      case Expiry.In(Duration time) ->
          call.add("expires_at => now() + ? * interval '1 microsecond'", micros(time));
      case Expiry.At(Instant time) -> call.add("expires_at => ?", time.atOffset(ZoneOffset.UTC));
      case null -> {}
    }
    call.add("concurrency_key => ?", ticket.concurrencyKey());
    call.add("fairness_key => ?", ticket.fairnessKey());
    call.add("unique_for => ?", ticket.uniqueness().spanWords());
    call.add("on_duplicate => ?", ticket.uniqueness().duplicateWords());
    call.add("batch_id => ?", ticket.batchId());
    call.add("after_batch => ?", ticket.afterBatch());
    Following following = ticket.following();
    if (!ticket.after().isEmpty()) {
      call.add("after_names => ?", names(ticket.after(), following.names()));
      call.add("on_cancelled => ?", onCancelled(following));
    }
    call.traceparent = ticket.traceparent();
    return call;
  }

  private static String @Nullable [] names(List<Long> after, Map<Long, String> names) {
    return names.isEmpty() ? null : after.stream().map(names::get).toArray(String[]::new);
  }

  private static @Nullable String onCancelled(Following following) {
    return following.onCancelled() == Following.OnCancelled.HOLD
        ? null
        : following.onCancelled().wireName();
  }

  private void add(String name, @Nullable Object value) {
    if (value != null) {
      names.add(name);
      values.add(value);
    }
  }

  private static @Nullable Long micros(@Nullable Duration delay) {
    return delay == null ? null : delay.getSeconds() * 1_000_000 + delay.getNano() / 1_000;
  }

  /** Returns the statement, written for the schema {@code holdfast}. */
  String statement() {
    return traceparent == null
        ? "SELECT " + names
        : "SELECT holdfast.trace_ticket(" + names + ", ?)";
  }

  void bind(PreparedStatement statement) throws SQLException {
    for (int i = 0; i < values.size(); i++) {
      statement.setObject(i + 1, values.get(i));
    }
    if (traceparent != null) {
      statement.setString(values.size() + 1, traceparent);
    }
  }
}
