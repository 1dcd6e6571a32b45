package dev.holdfast.llm;

/** The model's choice: it may call a tool, or has to. */
public enum ToolChoice {
  AUTO,
  /** One of the tools offered. */
  REQUIRED,
  NONE
}
