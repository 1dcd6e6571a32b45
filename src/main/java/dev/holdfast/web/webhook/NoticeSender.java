package dev.holdfast.web.webhook;

/** Sends events to one receiver. Thread-safe. */
interface NoticeSender extends AutoCloseable {
  /** The result of sending an event. */
  sealed interface Sent {}

  /** The receiver has it. */
  record Taken() implements Sent {}

  /** The receiver read it and does not want it. The reason may be the event's text. */
  record Refused(String why) implements Sent {}

  /** The receiver may take it later. */
  record NotTaken(String why) implements Sent {}

  Sent send(NoticeEvent event) throws InterruptedException;

  @Override
  void close();
}
