package dev.holdfast.handler;

import dev.holdfast.failure.Category;
import dev.holdfast.failure.ErrorReport;
import dev.holdfast.tool.sandbox.SandboxMissingException;
import dev.holdfast.worker.HandlerResult;

/** Holds a ticket whose worker lacks something that a person has to set up. */
public final class WorkerLacks {
  private WorkerLacks() {}

  public static HandlerResult provider(ProviderMissingException e) {
    return held("The worker lacks a provider: ", e);
  }

  public static HandlerResult sandbox(SandboxMissingException e) {
    return held("Programs cannot be confined here: ", e);
  }

  private static HandlerResult held(String what, RuntimeException e) {
    return HandlerResult.held(
        what + e.getMessage() + ", then release", ErrorReport.ofMessage(e, Category.SYSTEM_ERROR));
  }
}
