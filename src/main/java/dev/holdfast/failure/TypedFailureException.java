package dev.holdfast.failure;

import org.jspecify.annotations.Nullable;

/**
 * Thrown by a handler, or by an inner layer, that knows what went wrong: the report's category,
 * status and retry hint are believed before any text is read (A12, T18).
 */
public class TypedFailureException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient ErrorReport report;

  public TypedFailureException(ErrorReport report) {
    this(report, report.cause());
  }

  public TypedFailureException(ErrorReport report, @Nullable Throwable cause) {
    super(report.text(), cause);
    this.report = report;
  }

  /** Returns the report that the thrower made. */
  public ErrorReport report() {
    return report;
  }
}
