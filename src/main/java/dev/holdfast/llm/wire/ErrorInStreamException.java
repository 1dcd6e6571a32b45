package dev.holdfast.llm.wire;

/** The provider broke off its answer with an error of its own, on HTTP 200. */
public final class ErrorInStreamException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final String body;

  /**
   * @param body the error as JSON text
   */
  public ErrorInStreamException(String body, Throwable cause) {
    super(body, cause);
    this.body = body;
  }

  String body() {
    return body;
  }
}
