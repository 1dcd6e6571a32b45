package dev.holdfast.process;

/**
 * The purposes of the directories that a worker makes among the machine's temporary files. Those of
 * killed workers are swept ({@link LeftStreams}).
 */
public enum TemporaryPlace {
  /** The standard streams of a program that is being started. */
  STREAMS,
  /** Copies of files that git compares. */
  BLOCKS,
  /** The workspace of a program that tries out a sandbox. */
  SANDBOX,
  /** The socket of a sandbox's proxy; it is there as long as its worker. */
  PROXY;

  /** Returns the beginning of the names of its directories; a number follows. */
  String prefix() {
    return switch (this) {
      case STREAMS -> "holdfast-streams-";
      case BLOCKS -> "holdfast-blocks-";
      case SANDBOX -> "holdfast-sandbox-";
      case PROXY -> "holdfast-proxy-";
    };
  }
}
