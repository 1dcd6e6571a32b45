package dev.holdfast.repair;

import dev.holdfast.llm.CallResult;
import java.io.IOException;

/** No target gave an answer; the attempt fails by what the last of them said. */
public final class ModelFailedException extends IOException {
  private static final long serialVersionUID = 1;

  private final transient CallResult.Failed failure;

  ModelFailedException(CallResult.Failed failure) {
    super(failure.message(), failure.cause());
    this.failure = failure;
  }

  public CallResult.Failed failure() {
    return failure;
  }
}
