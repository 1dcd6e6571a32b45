package dev.holdfast.worker.output;

import dev.holdfast.queue.output.OutputChunk;
import dev.holdfast.secret.Secrets;
import org.jspecify.annotations.Nullable;

/**
 * Cuts one output into pieces without secrets, even if a secret lies across the end of a piece:
 * text that may be the beginning of a secret waits for what follows it. Used by one thread at a
 * time.
 */
final class StreamText {
  private static final int CHUNK = 8 * 1024;

  private final long ticketId;
  private final long leaseNo;
  private final String stream;
  private final OutputSource source;
  private final Secrets secrets;
  private long position;
  private String waiting = "";
  private long chunkFrom;
  private int chunkLength;
  private int pieces;

  StreamText(long ticketId, long leaseNo, String stream, OutputSource source, Secrets secrets) {
    this.ticketId = ticketId;
    this.leaseNo = leaseNo;
    this.stream = stream;
    this.source = source;
    this.secrets = secrets;
  }

  /** Returns the new text; null if there is none. */
  @Nullable OutputChunk take(boolean ended) {
    OutputSource.Piece piece = source.since(position, OutputChunk.KEPT_BYTES, ended);
    boolean gap = piece.from() > position;
    if (gap || chunkLength >= CHUNK) {
      chunkFrom = piece.from();
      chunkLength = 0;
      pieces = 0;
    }
    position = piece.to();
    String text = gap ? afterGap(piece.text()) : waiting + piece.text();
    int settled = ended ? text.length() : settled(text);
    waiting = text.substring(settled);
    String shown = storable(secrets.redact(text.substring(0, settled)));
    if (shown.isEmpty()) {
      return null;
    }
    chunkLength += shown.length();
    pieces++;
    return new OutputChunk(ticketId, leaseNo, stream, chunkFrom, position, pieces, shown);
  }

  /**
   * Drops the start of the text: the gap may have taken the beginning of a secret whose rest comes
   * first.
   */
  private String afterGap(String text) {
    int from = Math.min(text.length(), secrets.longest());
    boolean inPair = from < text.length() && Character.isLowSurrogate(text.charAt(from));
    return text.substring(inPair ? from + 1 : from);
  }

  private int settled(String text) {
    int end = secrets.settled(text);
    boolean inPair = end > 0 && end < text.length() && Character.isLowSurrogate(text.charAt(end));
    return inPair ? end - 1 : end;
  }

  /**
   * Makes the text storable: PostgreSQL takes no NUL, and a mark may be longer than the secret that
   * it replaces.
   */
  private static String storable(String text) {
    String end = text.substring(Math.max(0, text.length() - OutputChunk.KEPT_BYTES));
    boolean inPair = !end.isEmpty() && Character.isLowSurrogate(end.charAt(0));
    return (inPair ? end.substring(1) : end).replace('\0', '\uFFFD');
  }
}
