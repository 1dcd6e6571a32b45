package dev.holdfast.repair;

import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.Standstill;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** No target gave an answer; the attempt fails with the error of the last one. */
public final class ModelFailedException extends IOException {
  private static final long serialVersionUID = 1;

  private final transient CallResult.Failed failure;
  private final transient @Nullable Standstill standstill;

  ModelFailedException(CallResult.Failed failure, @Nullable Standstill standstill) {
    super(failure.message(), failure.cause());
    this.failure = failure;
    this.standstill = standstill;
  }

  public CallResult.Failed failure() {
    return failure;
  }

  /** Returns why none of the targets is to be called now; null where one may be. */
  public @Nullable Standstill standstill() {
    return standstill;
  }
}
