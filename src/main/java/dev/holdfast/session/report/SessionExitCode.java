package dev.holdfast.session.report;

/** Why a session failed. */
public enum SessionExitCode {
  /** The provider does not take the key (B11). */
  AUTH_FAILURE("EXIT-AUTH-FAILURE"),
  /** The money or the quota of the provider's account is used up (B12). */
  QUOTA_EXCEEDED("EXIT-QUOTA-EXCEEDED"),
  /** The attempts of a turn are used up (B56). */
  NO_LLM_RESPONSE("EXIT-NO-LLM-RESPONSE"),
  /** The same, and the last of them ran into its timeout. */
  INACTIVITY_TIMEOUT("EXIT-INACTIVITY-TIMEOUT"),
  /** The final turn brought no report (B53). */
  MAX_TURNS("EXIT-MAX-TURNS-NO-RESPONSE"),
  /** The conversation does not fit the window any more, compacted or not. */
  TOKEN_LIMIT("EXIT-TOKEN-LIMIT"),
  /** The model does the same again and again, nudged or not. */
  LOOP("EXIT-LOOP"),
  /** The execution's calls or time are used up. */
  BUDGET_EXCEEDED("EXIT-BUDGET-EXCEEDED"),
  /** The session's money is used up; trying again does not help without more of it. */
  COST_LIMIT("EXIT-COST-LIMIT");

  private final String wireName;

  SessionExitCode(String wireName) {
    this.wireName = wireName;
  }

  public String wireName() {
    return wireName;
  }
}
