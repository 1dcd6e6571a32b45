package dev.holdfast.session.event;

/**
 * Hears what happens in a session. Called on the session's thread, so it must be quick; what it
 * throws is logged and changes nothing (D41).
 */
@FunctionalInterface
public interface SessionListener {
  void on(SessionEvent event);
}
