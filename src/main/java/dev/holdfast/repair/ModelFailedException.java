package dev.holdfast.repair;

import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.Standstill;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** No target gave an answer; the attempt fails by what the last of them said. */
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

  /** Why none of the targets is to be called by now; null where one may be. */
  public @Nullable Standstill standstill() {
    return standstill;
  }
}
