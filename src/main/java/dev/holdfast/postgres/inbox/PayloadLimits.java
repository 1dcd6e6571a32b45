package dev.holdfast.postgres.inbox;

/**
 * The bounds on the length of a payload. Immutable.
 *
 * @param bytes as it is sent, in bytes of UTF-8 ({@code payload.max-bytes})
 * @param expandedBytes as the database writes it out, where 1e100000 has all its digits ({@code
 *     payload.max-expanded-bytes})
 */
public record PayloadLimits(int bytes, int expandedBytes) {
  /** Makes limits with this number of bytes as the payload is sent. */
  public static PayloadLimits of(int bytes) {
    return new PayloadLimits(bytes, 16 << 20);
  }
}
