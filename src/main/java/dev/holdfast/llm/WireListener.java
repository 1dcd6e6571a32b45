package dev.holdfast.llm;

/** Hears of every HTTP request. Called on the caller's thread; what it throws is logged. */
@FunctionalInterface
public interface WireListener {
  void on(WireCall call);
}
