package dev.holdfast.process;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/**
 * The end of a program's output, in bounded memory whatever the program prints. Thread-safe: one
 * thread drains, others look.
 */
public final class OutputTail {
  private static final int CHUNK = 8 * 1024;

  private final byte[] head;
  private final int limit;
  private byte[] ring = new byte[0];
  private long total;

  /** Keeps the last {@code limit} bytes. */
  OutputTail(int limit) {
    this(0, limit);
  }

  /** Keeps the first bytes too. */
  OutputTail(int head, int limit) {
    this.head = new byte[head];
    this.limit = limit;
  }

  /** Keeps the last {@code limit} bytes. */
  public static OutputTail keeping(int limit) {
    return new OutputTail(limit);
  }

  /** Reads to the end of the stream, or until it breaks, which is the same for a killed program. */
  public void drain(InputStream in) {
    byte[] chunk = new byte[CHUNK];
    try (in) {
      for (int n = in.read(chunk); n >= 0; n = in.read(chunk)) {
        append(chunk, n);
      }
    } catch (IOException e) {
      // It was closed while we read, because nobody waits for it any more. What was read stays.
    }
  }

  synchronized void append(byte[] bytes, int length) {
    if (total < head.length) {
      System.arraycopy(bytes, 0, head, (int) total, (int) Math.min(length, head.length - total));
    }
    if (ring.length < limit && total + length > ring.length) {
      grow(total + length);
    }
    int from = Math.max(0, length - ring.length);
    for (int at = from; at < length; ) {
      int position = (int) ((total + at) % ring.length);
      int n = Math.min(length - at, ring.length - position);
      System.arraycopy(bytes, at, ring, position, n);
      at += n;
    }
    total += length;
  }

  /** Enlarges the ring. Used only while nothing was dropped: the bytes so far begin at 0. */
  private void grow(long wanted) {
    long doubled = Math.max(CHUNK, ring.length * 2L);
    byte[] larger = new byte[(int) Math.min(limit, Math.max(doubled, wanted))];
    System.arraycopy(ring, 0, larger, 0, (int) total);
    ring = larger;
  }

  /** The number of bytes that the program printed. */
  public synchronized long total() {
    return total;
  }

  /**
   * A text of whole characters.
   *
   * @param from where it begins in the output, in bytes
   * @param to where it ends
   */
  public record Piece(long from, long to, String text) {}

  /**
   * Returns the output since a place; only the rest if a part of it was dropped already.
   *
   * @param position in bytes from the beginning of the output
   * @param atMost the most bytes; the last ones are returned
   * @param ended whether no more comes, so that half a character at the end does not wait for it
   */
  public synchronized Piece since(long position, int atMost, boolean ended) {
    long from = Math.max(position, total - Math.min(atMost, Math.min(total, ring.length)));
    byte[] bytes = last((int) (total - from));
    int whole = ended ? bytes.length : Utf8.whole(bytes, bytes.length);
    byte[] read = whole == bytes.length ? bytes : Arrays.copyOf(bytes, whole);
    String text = from > position ? Utf8.afterCut(read, 0) : Utf8.from(read, 0);
    return new Piece(from, from + whole, text);
  }

  /** Returns the last bytes that were kept, {@code atMost} at most, as text in whole characters. */
  public String end(int atMost) {
    byte[] kept = kept();
    int from = Math.max(0, kept.length - atMost);
    return total() > kept.length - from ? Utf8.afterCut(kept, from) : Utf8.from(kept, from);
  }

  /** Returns all that was kept. */
  public String end() {
    return end(limit);
  }

  /**
   * Returns the beginning and the end, and between them how much was left out, if anything was.
   * Leaves out the lines that the cut went through.
   */
  public synchronized String bothEnds() {
    if (total <= limit) {
      return end();
    }
    if (total <= (long) head.length + limit) {
      byte[] all = Arrays.copyOf(head, (int) total);
      byte[] kept = kept();
      System.arraycopy(kept, 0, all, all.length - kept.length, kept.length);
      return Utf8.from(all, 0);
    }
    long cut = total - head.length - limit;
    String start = CutText.before(Utf8.upTo(head, head.length));
    String rest = CutText.behind(end());
    return start + "\n[... " + cut + " of " + total + " bytes cut here ...]\n" + rest;
  }

  private synchronized byte[] kept() {
    return last((int) Math.min(total, ring.length));
  }

  private byte[] last(int length) {
    byte[] bytes = new byte[length];
    int start = length == 0 ? 0 : (int) ((total - length) % ring.length);
    int first = Math.min(length, ring.length - start);
    System.arraycopy(ring, start, bytes, 0, first);
    System.arraycopy(ring, 0, bytes, first, length - first);
    return bytes;
  }
}
