package dev.holdfast.process;

/**
 * What the directories are for that a worker makes where the machine has its temporary files. Those
 * of killed workers are swept ({@link LeftStreams}).
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

  /** How the names of its directories begin; a number follows. */
  String prefix() {
    return switch (this) {
      case STREAMS -> "holdfast-streams-";
      case BLOCKS -> "holdfast-blocks-";
      case SANDBOX -> "holdfast-sandbox-";
      case PROXY -> "holdfast-proxy-";
    };
  }
}
