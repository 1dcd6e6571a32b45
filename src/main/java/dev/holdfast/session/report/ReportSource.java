package dev.holdfast.session.report;

import java.util.Locale;

/** The source of a final report (B52). */
public enum ReportSource {
  /** The model called the tool. */
  TOOL_CALL,
  /** The model wrote the report as plain text (B49). */
  TEXT_EXTRACTION,
  /** The model gave the report to a tool that does not exist (B49). */
  TOOL_MESSAGE,
  /** The session made it, because there was none (B53). */
  SYNTHETIC;

  /** The name as in logs and metrics, such as tool-call. */
  public String wireName() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
