package dev.holdfast.llm;

import java.util.Locale;

/** Why a call gave no usable answer: the turn runner's status types (B11-B17), and two of ours. */
public enum FailureKind {
  /** The credentials are wrong or may not do this. Ends the session (B11). */
  AUTH_ERROR,
  /** The money or the hard quota is used up; waiting does not help. Ends the session (B12). */
  QUOTA_EXCEEDED,
  /** Too many requests or tokens for now. */
  RATE_LIMIT,
  /** The provider refused the request or broke; retryable or not, as the failure says. */
  MODEL_ERROR,
  /** The connection failed or was cut. */
  NETWORK_ERROR,
  /** No complete answer within the request's timeout. */
  TIMEOUT,
  /** HTTP 200 with something that is no answer. */
  INVALID_RESPONSE,
  /** The conversation does not fit the model's window; never retried as it is (D3). */
  CONTEXT_OVERFLOW,
  /** The attempt's call budget or deadline is used up; no request was sent. */
  OUT_OF_BUDGET;

  /** The name as in events and metrics, such as rate_limit. */
  public String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }
}
