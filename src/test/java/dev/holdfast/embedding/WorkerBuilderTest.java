package dev.holdfast.embedding;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.WorkerBuilder;
import dev.holdfast.queue.Retention;
import dev.holdfast.worker.HandlerResult;
import dev.holdfast.worker.WorkerSettings;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Settings of an embedded worker that would make trouble only once it runs. */
class WorkerBuilderTest {
  private final WorkerBuilder builder = Holdfast.worker(new PGSimpleDataSource());

  @Test
  @NullUnmarked
  @DisplayName("what is null is refused by its name where it is given, not at the first failure")
  void nulls() {
    Map<String, UnaryOperator<WorkerBuilder>> nulls =
        Map.ofEntries(
            Map.entry("kind", b -> b.handler(null, ticket -> HandlerResult.success())),
            Map.entry("handler", b -> b.handler("email", null)),
            Map.entry("settings", b -> b.settings(null)),
            Map.entry("retry", b -> b.retry(null)),
            Map.entry("classifier", b -> b.classifier(null)),
            Map.entry("listener", b -> b.listener(null)),
            Map.entry("listenOn", b -> b.listenOn(null)),
            Map.entry("heartbeatOn", b -> b.heartbeatOn(null)),
            Map.entry("whenProvidersChange", b -> b.whenProvidersChange(null)),
            Map.entry("whenPruned", b -> b.whenPruned(null)),
            Map.entry("secrets", b -> b.secrets(null)),
            Map.entry("tracing", b -> b.tracing(null)),
            Map.entry("schema", b -> b.schema(null)));
    nulls.forEach(
        (name, call) ->
            assertThatThrownBy(() -> call.apply(builder))
                .describedAs(name)
                .isInstanceOf(NullPointerException.class)
                .hasMessage(name + " is null"));
  }

  @Test
  @DisplayName("without bounds is no setting: the drain would fail by it")
  void bounds() {
    WorkerSettings settings = WorkerSettings.defaults();
    Duration ever = ChronoUnit.FOREVER.getDuration();
    assertThatThrownBy(() -> settings.withConcurrency(Integer.MAX_VALUE))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("concurrency must be from 1 to 100000");
    assertThatThrownBy(() -> settings.withDrainTimeout(ever))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("drain timeout must be 365 days at most");
    assertThatThrownBy(() -> settings.withLease(ever, Duration.ofSeconds(1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("lease must be 365 days at most");
    assertThatThrownBy(
            () -> settings.withRetention(settings.retention(), Duration.ofSeconds(1).negated()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("retention interval must not be negative");
  }

  @Test
  @DisplayName("tickets are kept for no less than no time, and for ever by zero alone")
  void retention() {
    Duration day = Duration.ofDays(1);
    assertThatThrownBy(() -> new Retention(day, day.negated(), day))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("cancelled tickets cannot be kept for PT-24H");
    assertThatThrownBy(() -> new Retention(ChronoUnit.FOREVER.getDuration(), day, day))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("done tickets are kept for 36500 days at most; zero keeps them for ever");
  }
}
