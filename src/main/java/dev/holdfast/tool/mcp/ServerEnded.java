package dev.holdfast.tool.mcp;

/** A server went away, or said something so wrong that it was given up. */
final class ServerEnded extends RuntimeException {
  ServerEnded(String message) {
    super(message);
  }
}
