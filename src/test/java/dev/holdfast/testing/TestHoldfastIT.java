package dev.holdfast.testing;

import static org.assertj.core.api.Assertions.assertThatNoException;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class TestHoldfastIT {
  @Test
  @DisplayName("closing a queue for tests twice is harmless")
  void twice() {
    TestHoldfast holdfast = TestHoldfast.embedded();
    holdfast.close();

    assertThatNoException().isThrownBy(holdfast::close);
  }
}
