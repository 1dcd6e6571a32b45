package dev.holdfast.tool.mcp;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;

/** The beginning of a body in which a server says why it refused something. */
final class BodyBeginning implements Flow.Subscriber<List<ByteBuffer>> {
  private static final int MOST_BYTES = 2_000;
  private static final int MOST_SECONDS = 2;

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final CompletableFuture<String> text = new CompletableFuture<>();

  private BodyBeginning() {}

  /**
   * Reads the beginning as one line; "" where there is none. Takes little time, and reads the body
   * no further.
   *
   * @param body as {@code HttpResponse.BodyHandlers.ofPublisher} gives it
   */
  static CompletableFuture<String> of(Object body) {
    if (!(body instanceof Flow.Publisher<?> publisher)) {
      return CompletableFuture.completedFuture("");
    }
    BodyBeginning beginning = new BodyBeginning();
    @SuppressWarnings("unchecked") // which this kind of body is
    Flow.Publisher<List<ByteBuffer>> buffers = (Flow.Publisher<List<ByteBuffer>>) publisher;
    buffers.subscribe(beginning);
    return beginning.text.completeOnTimeout("", MOST_SECONDS, TimeUnit.SECONDS);
  }

  @Override
  public void onSubscribe(Flow.Subscription subscription) {
    // Otherwise the connection would stay open.
    var unused = text.whenComplete((said, error) -> subscription.cancel());
    subscription.request(Long.MAX_VALUE);
  }

  @Override
  public void onNext(List<ByteBuffer> buffers) {
    for (ByteBuffer buffer : buffers) {
      byte[] next = new byte[Math.min(buffer.remaining(), MOST_BYTES - bytes.size())];
      buffer.get(next);
      bytes.writeBytes(next);
    }
    if (bytes.size() == MOST_BYTES) {
      finish();
    }
  }

  @Override
  public void onError(Throwable error) {
    finish();
  }

  @Override
  public void onComplete() {
    finish();
  }

  private void finish() {
    text.complete(bytes.toString(StandardCharsets.UTF_8).strip().replaceAll("\\s+", " "));
  }
}
