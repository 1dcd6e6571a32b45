package dev.holdfast.llm;

import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;

/** A provider of models under one account or several. Thread-safe; calls block. */
public interface ChatProvider extends AutoCloseable {
  /** Its name in the configuration. */
  String name();

  /**
   * Makes one logical call. It is never retried here, except for one free retry of a connection
   * that breaks before the first byte of the response. Every HTTP request is reported to the
   * provider's {@link WireListener}.
   *
   * @param stream hears the answer as it is written; the result holds all of it again
   * @throws InterruptedException when the calling thread is interrupted; the connection is closed
   *     and the request is reported as possibly billed
   */
  CallResult call(ChatRequest request, StreamListener stream) throws InterruptedException;

  /** The accounts it calls under, in the order in which they are used; at least one. */
  default List<Account> accounts() {
    return List.of(new Account(name(), Account.NO_KEY, Account.NO_KEY));
  }

  /** Makes the same call under one given account, whatever the provider itself knows of it. */
  default CallResult call(ChatRequest request, Account account, StreamListener stream)
      throws InterruptedException {
    return call(request, stream);
  }

  /**
   * Returns why a model is not to be called now; empty where it may be called. Sends no request, so
   * it is cheap.
   */
  default Optional<Standstill> standstill(String model) {
    return Optional.empty();
  }

  /** Returns the cost of a call in USD by the price table; empty where the model has no price. */
  Optional<BigDecimal> cost(String model, Usage usage);

  @Override
  void close();
}
