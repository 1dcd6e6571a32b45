package dev.holdfast.tool.mcp;

import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;

/** The body of a response; it reports its end, whatever the reason. */
final class WatchedBody<T> implements BodySubscriber<T> {
  private final BodySubscriber<T> body;
  private final Runnable ended;

  WatchedBody(BodySubscriber<T> body, Runnable ended) {
    this.body = body;
    this.ended = ended;
  }

  @Override
  public CompletionStage<T> getBody() {
    return body.getBody();
  }

  @Override
  public void onSubscribe(Flow.Subscription subscription) {
    body.onSubscribe(
        new Flow.Subscription() {
          @Override
          public void request(long n) {
            subscription.request(n);
          }

          @Override
          public void cancel() {
            subscription.cancel();
            ended.run();
          }
        });
  }

  @Override
  public void onNext(List<ByteBuffer> buffers) {
    body.onNext(buffers);
  }

  @Override
  public void onError(Throwable error) {
    body.onError(error);
    ended.run();
  }

  @Override
  public void onComplete() {
    body.onComplete();
    ended.run();
  }
}
