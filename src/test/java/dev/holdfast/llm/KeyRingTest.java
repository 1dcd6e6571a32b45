package dev.holdfast.llm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.ModelBehaviour;
import dev.holdfast.testing.ModelRequest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class KeyRingTest extends ProviderFixture {
  private final AtomicLong now = new AtomicLong(-5);
  private final KeyRing ring = new KeyRing(List.of("a", "b"), now::get);

  private void pass(Duration time) {
    now.addAndGet(time.toNanos());
  }

  @Test
  @DisplayName("D14: a used-up key is left out until its reset time passes")
  void rotates() {
    ProviderKey first = ring.current();
    assertThat(first).isEqualTo(new ProviderKey("key-1", "a"));
    assertThat(ring.markUsedUp(first, Duration.ofMinutes(5))).isTrue();
    assertThat(ring.current().label()).isEqualTo("key-2");
    pass(Duration.ofMinutes(5).minusNanos(1));
    assertThat(ring.current().label()).isEqualTo("key-2");
    pass(Duration.ofNanos(1));
    assertThat(ring.current()).isEqualTo(first);
  }

  @Test
  @DisplayName("D14: with all keys used up there is no switch, and the first to come back is used")
  void allUsedUp() {
    ring.markUsedUp(ring.current(), Duration.ofMinutes(5));
    assertThat(ring.markUsedUp(ring.current(), Duration.ofMinutes(3))).isFalse();
    assertThat(ring.current().label()).isEqualTo("key-2");
  }

  @Test
  @DisplayName("D14: marking a key again brings it back no earlier and uses up no other")
  void markedTwice() {
    ProviderKey first = ring.current();
    ring.markUsedUp(first, Duration.ofMinutes(5));
    assertThat(ring.markUsedUp(first, Duration.ofSeconds(1))).isTrue();
    pass(Duration.ofMinutes(4));
    assertThat(ring.current().label()).isEqualTo("key-2");
  }

  @Test
  @DisplayName("D14: a key whose reset nobody told rests an hour; one for ever is bounded")
  void unknownReset() {
    ring.markUsedUp(ring.current(), null);
    pass(Duration.ofHours(1));
    assertThat(ring.current().label()).isEqualTo("key-1");
    ring.markUsedUp(ring.current(), Duration.ofDays(100_000));
    assertThat(ring.current().label()).isEqualTo("key-2");
  }

  @Test
  @DisplayName("D15: one key only means no switch")
  void oneKey() {
    KeyRing single = new KeyRing(List.of("a"), now::get);
    assertThat(single.markUsedUp(single.current(), Duration.ofMinutes(1))).isFalse();
    assertThat(single.current().label()).isEqualTo("key-1");
    assertThat(single.current().toString()).isEqualTo("key-1");
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("D14: the next call after a usage limit goes out with the next key")
  void overTheWire(Vendor vendor) throws InterruptedException {
    models.always(ModelBehaviour.error(429, "rate_limit_error", "usage limit reached"));
    ChatProvider provider = opened(vendor.on(models, wire::add, List.of("secret-1", "secret-2")));
    provider.call(request(), StreamListener.NONE);
    assertThat(provider.markUsageLimitReached(Duration.ofMinutes(1))).isTrue();
    provider.call(request(), StreamListener.NONE);
    assertThat(provider.markUsageLimitReached(Duration.ofMinutes(1))).isFalse();
    assertThat(models.requests())
        .extracting(ModelRequest::key)
        .containsExactly("secret-1", "secret-2");
    assertThat(wire).extracting(WireCall::key).containsExactly("key-1", "key-2");
  }

  @Test
  @DisplayName("D14: a call that met the limit of the old key does not use up the new one")
  void concurrentMarks() throws InterruptedException {
    models.always(ModelBehaviour.error(429, "rate_limit_error", "usage limit reached"));
    ChatProvider provider =
        opened(Vendor.OPENAI.on(models, wire::add, List.of("s-1", "s-2", "s-3")));
    provider.call(request(), StreamListener.NONE);
    Thread other =
        Thread.ofPlatform()
            .start(
                () -> {
                  try {
                    provider.call(request(), StreamListener.NONE);
                    provider.markUsageLimitReached(Duration.ofMinutes(1));
                  } catch (InterruptedException _) {
                    Thread.currentThread().interrupt();
                  }
                });
    other.join();
    provider.markUsageLimitReached(Duration.ofMinutes(1));
    provider.call(request(), StreamListener.NONE);
    assertThat(wire.getLast().key()).isEqualTo("key-2");
  }
}
