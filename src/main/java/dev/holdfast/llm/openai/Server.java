package dev.holdfast.llm.openai;

/** Whose server speaks chat completions: each has wishes of its own. */
enum Server {
  /** Its newer models refuse {@code max_tokens}, and it refuses long ids. */
  OPENAI,
  /** Its models refuse calls without a signature, those of other models too. */
  GOOGLE,
  /** Knows {@code max_tokens} only, and wants its own ids back. */
  OTHER;

  private static final String GOOGLE_URL = "https?://[^/]+\\.googleapis\\.com(:\\d+)?(/.*)?";

  static Server of(String baseUrl) {
    if (baseUrl.contains("api.openai.com") || baseUrl.contains(".azure.com")) {
      return OPENAI;
    }
    return baseUrl.matches(GOOGLE_URL) ? GOOGLE : OTHER;
  }
}
