package dev.holdfast.web.webhook;

/** Sends events to one receiver. Thread-safe. */
interface NoticeSender extends AutoCloseable {
  /** Empty when it was taken; else why not. */
  String send(NoticeEvent event) throws InterruptedException;

  @Override
  void close();
}
