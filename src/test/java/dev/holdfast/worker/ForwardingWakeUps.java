package dev.holdfast.worker;

import dev.holdfast.queue.WakeUps;

/** Real wake-ups whose start a test changes. */
interface ForwardingWakeUps extends WakeUps {
  WakeUps wakeUps();

  @Override
  default boolean proven() {
    return wakeUps().proven();
  }

  @Override
  default void close() {
    wakeUps().close();
  }
}
