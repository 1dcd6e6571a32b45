package dev.holdfast.llm;

/** Why a model stopped writing. */
public enum StopReason {
  END,
  TOOL_CALLS,
  /** The output limit cut it; a tool call may be half of one. */
  MAX_TOKENS,
  /** A content filter or the model itself refused. */
  REFUSED,
  OTHER
}
