package dev.holdfast.llm.account;

import dev.holdfast.llm.ChatProvider;

/** Puts something between an attempt and its providers. */
@FunctionalInterface
public interface CallGuard {
  /** Every call goes straight through. */
  CallGuard NONE = (provider, call) -> provider;

  /** Returns the same provider for one attempt. */
  ChatProvider guard(ChatProvider provider, CallOf call);
}
