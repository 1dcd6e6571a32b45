package dev.holdfast.llm.wire;

import dev.holdfast.llm.FailureKind;

/** The meaning of an error: its kind, and whether a retry may help. */
record ErrorMeaning(FailureKind kind, boolean retryable) {
  static final ErrorMeaning AUTH = new ErrorMeaning(FailureKind.AUTH_ERROR, false);
  static final ErrorMeaning QUOTA = new ErrorMeaning(FailureKind.QUOTA_EXCEEDED, false);
  static final ErrorMeaning RATE_LIMIT = new ErrorMeaning(FailureKind.RATE_LIMIT, true);
  static final ErrorMeaning BROKEN = new ErrorMeaning(FailureKind.MODEL_ERROR, true);
  static final ErrorMeaning REFUSED = new ErrorMeaning(FailureKind.MODEL_ERROR, false);
  static final ErrorMeaning OVERFLOW = new ErrorMeaning(FailureKind.CONTEXT_OVERFLOW, false);
  static final ErrorMeaning TIMEOUT = new ErrorMeaning(FailureKind.TIMEOUT, true);
  static final ErrorMeaning NETWORK = new ErrorMeaning(FailureKind.NETWORK_ERROR, true);
  static final ErrorMeaning INVALID = new ErrorMeaning(FailureKind.INVALID_RESPONSE, true);
}
