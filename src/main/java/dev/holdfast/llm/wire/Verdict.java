package dev.holdfast.llm.wire;

import dev.holdfast.llm.FailureKind;

/** What an error means. */
record Verdict(FailureKind kind, boolean retryable) {
  static final Verdict AUTH = new Verdict(FailureKind.AUTH_ERROR, false);
  static final Verdict QUOTA = new Verdict(FailureKind.QUOTA_EXCEEDED, false);
  static final Verdict RATE_LIMIT = new Verdict(FailureKind.RATE_LIMIT, true);
  static final Verdict BROKEN = new Verdict(FailureKind.MODEL_ERROR, true);
  static final Verdict REFUSED = new Verdict(FailureKind.MODEL_ERROR, false);
  static final Verdict OVERFLOW = new Verdict(FailureKind.CONTEXT_OVERFLOW, false);
  static final Verdict TIMEOUT = new Verdict(FailureKind.TIMEOUT, true);
  static final Verdict NETWORK = new Verdict(FailureKind.NETWORK_ERROR, true);
  static final Verdict INVALID = new Verdict(FailureKind.INVALID_RESPONSE, true);
}
