package dev.holdfast.session.context;

/** Says how near the conversation is to the window's end. */
public record ContextGuard(ContextSettings settings, ContextMeter meter) {
  /** True if it is time to compact. */
  public boolean isNear() {
    return meter.tokens() >= settings.window() * settings.compactAt();
  }

  /** True if it is time for the final report (B42). */
  public boolean isOver() {
    return meter.tokens() >= settings.window() * settings.finalAt();
  }
}
