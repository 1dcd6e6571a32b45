package dev.holdfast.llm;

/** Hears pieces of an answer while it arrives. Called on the calling thread; must be quick. */
public interface StreamListener {
  StreamListener NONE = new StreamListener() {};

  default void text(String piece) {}

  default void reasoning(String piece) {}

  default void toolCallStarted(String name) {}
}
