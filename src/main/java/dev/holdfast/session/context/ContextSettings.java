package dev.holdfast.session.context;

/**
 * The settings that keep the conversation inside the model's window.
 *
 * @param window in tokens
 * @param compactAt the share of the window, 0 to 1, from which on older turns are compacted
 * @param finalAt the share from which on only the final report is allowed (B42)
 * @param autoCompaction whether conversations are compacted at all
 */
public record ContextSettings(
    long window, double compactAt, double finalAt, boolean autoCompaction) {
  public static final ContextSettings DEFAULT = new ContextSettings(200_000, 0.80, 0.92, true);

  public ContextSettings {
    if (window < 1 || !(compactAt > 0 && compactAt <= finalAt && finalAt <= 1)) {
      throw new IllegalArgumentException(
          "a window of " + window + " with 0 < " + compactAt + " <= " + finalAt + " <= 1");
    }
  }
}
