package dev.holdfast.telemetry.trace;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.postgres.inbox.PostgresTicketInbox;
import dev.holdfast.queue.NewTicket;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@WithDatabase
@EverySetup
class TracedInboxIT {
  private static final String CALLER = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

  private static final class Kept implements SpanExporter {
    private final List<SpanData> spans = new CopyOnWriteArrayList<>();

    @Override
    public CompletableResultCode export(Collection<SpanData> some) {
      spans.addAll(some);
      return CompletableResultCode.ofSuccess();
    }

    @Override
    public CompletableResultCode flush() {
      return CompletableResultCode.ofSuccess();
    }

    @Override
    public CompletableResultCode shutdown() {
      return CompletableResultCode.ofSuccess();
    }
  }

  private final TicketDatabase database;
  @AutoClose private final HikariDataSource pool;
  private final Kept kept = new Kept();

  @AutoClose
  private final SdkTracerProvider provider =
      SdkTracerProvider.builder().addSpanProcessor(SimpleSpanProcessor.create(kept)).build();

  private final TracedInbox inbox;

  TracedInboxIT(TestDatabase database) {
    this.database = new TicketDatabase(database);
    this.pool = this.database.pool(2);
    this.inbox = new TracedInbox(new PostgresTicketInbox(pool), provider.get("test"));
  }

  @Test
  @DisplayName("22.13: many tickets without a batch are one span too, below the caller's")
  void many() {
    NewTicket ticket = NewTicket.ofKind("traced-many").withTraceparent(CALLER);
    assertThat(inbox.enqueueAll(Collections.nCopies(3, ticket).iterator())).isEqualTo(3);
    assertThat(kept.spans).hasSize(1);
    SpanData span = kept.spans.getFirst();
    assertThat(span.getName()).isEqualTo("enqueue many");
    assertThat(span.getParentSpanId()).isEqualTo("00f067aa0ba902b7");
    assertThat(span.getTraceId()).isEqualTo("4bf92f3577b34da6a3ce929d0e0e4736");
    assertThat(
            database.column(
                "SELECT x.traceparent FROM holdfast.tickets t LEFT JOIN holdfast.ticket_traces x"
                    + " ON x.ticket_id = t.id WHERE t.kind = 'traced-many'"))
        .hasSize(3)
        .containsOnly(TraceParent.of(span.getSpanContext()));
  }

  @Test
  @DisplayName("22.13: of no tickets there is no span")
  void none() {
    assertThat(inbox.enqueueAll(Collections.emptyIterator())).isZero();
    assertThat(kept.spans).isEmpty();
  }
}
