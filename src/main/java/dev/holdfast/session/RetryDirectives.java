package dev.holdfast.session;

import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.Target;
import org.jspecify.annotations.Nullable;

/** What a provider's profile knows about its failures. */
@FunctionalInterface
public interface RetryDirectives {
  /** No provider says anything; the fallback table decides (B40). */
  RetryDirectives NONE = (target, failure) -> null;

  /** Null where the fallback table is right. */
  @Nullable RetryDirective after(Target target, CallResult.Failed failure);
}
