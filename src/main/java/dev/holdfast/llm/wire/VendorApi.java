package dev.holdfast.llm.wire;

import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.ChatRequest;

/** One vendor's API behind its SDK, without retries of the SDK's own. Thread-safe. */
public interface VendorApi extends AutoCloseable {
  /**
   * Sends one request and reads its answer to the end. Runs on a thread of its own; an interrupt of
   * that thread ends the connection. What the vendor's SDK throws is let through.
   *
   * @param key the secret; a placeholder where the server wants none
   * @param transmission takes what comes back
   */
  CallResult exchange(ChatRequest request, String key, Transmission transmission);

  @Override
  void close();
}
