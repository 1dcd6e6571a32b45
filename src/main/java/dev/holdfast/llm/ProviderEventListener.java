package dev.holdfast.llm;

/** Hears of calls with retries, on the caller's thread. Must not throw. */
@FunctionalInterface
public interface ProviderEventListener {
  ProviderEventListener NONE = _ -> {};

  void on(ProviderEvent event);
}
