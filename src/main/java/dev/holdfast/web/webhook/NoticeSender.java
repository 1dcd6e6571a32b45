package dev.holdfast.web.webhook;

/** Sends events to one receiver. Thread-safe. */
interface NoticeSender extends AutoCloseable {
  /** What became of an event. */
  sealed interface Sent {}

  /** The receiver has it. */
  record Taken() implements Sent {}

  /** The receiver read it and does not want it: it may be for what the event says. */
  record Refused(String why) implements Sent {}

  /** Later it may be taken. */
  record NotTaken(String why) implements Sent {}

  Sent send(NoticeEvent event) throws InterruptedException;

  @Override
  void close();
}
