package dev.holdfast.handler.command;

import java.io.IOException;
import java.io.InputStream;

/**
 * The end of a program's output, in bounded memory whatever the program prints. Thread-safe: one
 * thread drains, others look.
 */
final class OutputTail {
  private static final int CHUNK = 8 * 1024;

  private final int limit;
  private byte[] ring = new byte[0];
  private long total;

  /** Keeps the last {@code limit} bytes. */
  OutputTail(int limit) {
    this.limit = limit;
  }

  /** Reads to the end of the stream, or until it breaks, which for a killed program is the same. */
  void drain(InputStream in) {
    byte[] chunk = new byte[CHUNK];
    try (in) {
      for (int n = in.read(chunk); n >= 0; n = in.read(chunk)) {
        append(chunk, n);
      }
    } catch (IOException e) {
      // Closed under us by whoever stopped waiting for it: what was read stays.
    }
  }

  synchronized void append(byte[] bytes, int length) {
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

  /** Only while nothing was dropped: the bytes so far lie from 0 on. */
  private void grow(long wanted) {
    long doubled = Math.max(CHUNK, ring.length * 2L);
    byte[] larger = new byte[(int) Math.min(limit, Math.max(doubled, wanted))];
    System.arraycopy(ring, 0, larger, 0, (int) total);
    ring = larger;
  }

  /** How many bytes the program printed. */
  synchronized long total() {
    return total;
  }

  /** The last bytes that were kept, at most so many, as text in whole characters. */
  String end(int atMost) {
    byte[] kept = kept();
    int from = Math.max(0, kept.length - atMost);
    return Utf8.from(kept, from, total() > kept.length - from);
  }

  /** All that was kept. */
  String end() {
    return end(limit);
  }

  private synchronized byte[] kept() {
    int length = (int) Math.min(total, ring.length);
    byte[] bytes = new byte[length];
    int start = length == 0 ? 0 : (int) ((total - length) % ring.length);
    int first = Math.min(length, ring.length - start);
    System.arraycopy(ring, start, bytes, 0, first);
    System.arraycopy(ring, 0, bytes, first, length - first);
    return bytes;
  }
}
