package dev.holdfast.llm;

/** Whether the model has to call a tool. */
public enum ToolChoice {
  AUTO,
  /** One of the tools offered. */
  REQUIRED,
  NONE
}
