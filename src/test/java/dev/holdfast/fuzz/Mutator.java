package dev.holdfast.fuzz;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;

/** Makes new inputs of known ones; from the same seed the same ones. */
final class Mutator {
  private static final int LONGEST = 20_000;
  private static final List<String> TROUBLE =
      List.of(
          "\0",
          "\r\n",
          "\n\n",
          "\\u0000",
          "\\",
          "\"",
          "{",
          "[",
          "}",
          "]",
          ":",
          "-",
          "-1",
          "0",
          "999999999999999999",
          "1e999999999",
          "1e-999999999",
          "NaN",
          "\uFDD0",
          "İ",
          "ı",
          "\u2028",
          "€",
          "😀",
          "%00",
          "9999-12-31",
          "+999999999-12-31T23:59:59Z",
          "*/0",
          "@@ -1 +1 @@",
          "../");

  private final Random random;
  private final List<byte[]> known;

  Mutator(long seed, List<byte[]> known) {
    this.random = new Random(seed);
    this.known = known;
  }

  byte[] next() {
    byte[] input = any();
    for (int changes = 1 + random.nextInt(4); changes > 0; changes--) {
      input = changed(input);
    }
    return input;
  }

  private byte[] any() {
    return known.get(random.nextInt(known.size())).clone();
  }

  private byte[] changed(byte[] input) {
    int at = random.nextInt(input.length + 1);
    int end = Math.min(input.length, at + random.nextInt(30));
    return switch (random.nextInt(7)) {
      case 0 -> replaced(input, at, end, new byte[0]);
      case 1 -> replaced(input, at, Math.min(input.length, at + 1), oneByte());
      case 2 -> replaced(input, at, at, trouble());
      case 3 -> replaced(input, at, end, trouble());
      case 4 -> replaced(input, at, at, part(any()));
      case 5 -> replaced(input, at, at, repeated(part(input)));
      default -> replaced(input, at, input.length, new byte[0]);
    };
  }

  private byte[] oneByte() {
    return new byte[] {(byte) random.nextInt(256)};
  }

  private byte[] trouble() {
    return TROUBLE.get(random.nextInt(TROUBLE.size())).getBytes(StandardCharsets.UTF_8);
  }

  private byte[] part(byte[] input) {
    int from = random.nextInt(input.length + 1);
    int to = from + random.nextInt(input.length - from + 1);
    return java.util.Arrays.copyOfRange(input, from, to);
  }

  private byte[] repeated(byte[] piece) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (int times = 1 + random.nextInt(40); times > 0 && out.size() < LONGEST; times--) {
      out.writeBytes(piece);
    }
    return out.toByteArray();
  }

  private static byte[] replaced(byte[] input, int from, int to, byte[] piece) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(input, 0, from);
    out.writeBytes(piece);
    out.write(input, to, input.length - to);
    byte[] all = out.toByteArray();
    return all.length <= LONGEST ? all : java.util.Arrays.copyOf(all, LONGEST);
  }
}
