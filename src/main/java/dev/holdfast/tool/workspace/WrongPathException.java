package dev.holdfast.tool.workspace;

import java.io.IOException;

/** A path names something that cannot be used this way; the message tells the model what to do. */
final class WrongPathException extends IOException {
  WrongPathException(String message) {
    super(message);
  }
}
