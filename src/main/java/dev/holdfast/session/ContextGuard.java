package dev.holdfast.session;

/** Says how near the conversation is to the window's end. */
record ContextGuard(ContextSettings settings, ContextMeter meter) {
  /** Time to compact. */
  boolean isNear() {
    return meter.tokens() >= settings.window() * settings.compactAt();
  }

  /** Time to report (B42). */
  boolean isOver() {
    return meter.tokens() >= settings.window() * settings.finalAt();
  }
}
