package dev.holdfast.queue.output;

/**
 * A part of what a program printed. It grows by pieces until it has some kilobytes; then the next
 * one begins.
 *
 * @param stream {@link #STDOUT} or {@link #STDERR}
 * @param fromByte where it begins in the stream, in bytes; names it
 * @param toByte where the stream was read up to
 * @param pieces how many it has, this one included
 * @param text of this piece; when read, of all pieces
 */
public record OutputChunk(
    long ticketId,
    long leaseNo,
    String stream,
    long fromByte,
    long toByte,
    int pieces,
    String text) {
  public static final String STDOUT = "stdout";
  public static final String STDERR = "stderr";

  /** The number of bytes that are kept of the end of each stream of an attempt. */
  public static final int KEPT_BYTES = 64 * 1024;
}
