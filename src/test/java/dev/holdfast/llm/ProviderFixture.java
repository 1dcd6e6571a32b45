package dev.holdfast.llm;

import dev.holdfast.testing.ModelServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;

/** A server, and providers on it which are closed after the test. */
abstract class ProviderFixture {
  static final Duration LONG = Duration.ofSeconds(30);

  final ModelServer models = ModelServer.start();
  final List<WireCall> wire = new CopyOnWriteArrayList<>();
  private final List<ChatProvider> open = new CopyOnWriteArrayList<>();

  @AfterEach
  void closeAll() {
    open.forEach(ChatProvider::close);
    models.close();
  }

  ChatProvider provider(Vendor vendor) {
    return opened(vendor.on(models, wire::add));
  }

  ChatProvider opened(ChatProvider provider) {
    open.add(provider);
    return provider;
  }

  static ChatRequest request() {
    return request(LONG);
  }

  static ChatRequest request(Duration timeout) {
    return request(timeout, List.of(new Message.User("hello")));
  }

  static ChatRequest request(Duration timeout, List<Message> messages) {
    return new ChatRequest("m-1", "", messages, List.of(), ToolChoice.AUTO, null, timeout);
  }

  CallResult call(Vendor vendor) throws InterruptedException {
    return provider(vendor).call(request(), StreamListener.NONE);
  }

  CallResult.Failed failed(Vendor vendor) throws InterruptedException {
    return (CallResult.Failed) call(vendor);
  }

  CallResult.Answer answered(Vendor vendor) throws InterruptedException {
    CallResult result = call(vendor);
    if (result instanceof CallResult.Answer answer) {
      return answer;
    }
    throw new AssertionError("no answer but " + result);
  }
}
