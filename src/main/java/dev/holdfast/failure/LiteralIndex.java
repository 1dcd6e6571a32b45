package dev.holdfast.failure;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds which of many plain texts occur in a text, in one pass over it. The texts and the text are
 * folded character by character. Immutable once {@link Builder#build built}.
 */
final class LiteralIndex {
  /** The number of characters of a literal that decide its slot. */
  private static final int START = 3;

  private final String[] literals;
  private final int[] shortOnes;
  private final int[][] byStart;
  private final int mask;

  private LiteralIndex(List<String> literals) {
    this.literals = literals.toArray(String[]::new);
    mask = Integer.highestOneBit(Math.max(16, literals.size() * 8)) * 2 - 1;
    byStart = new int[mask + 1][];
    int[] tooShort = new int[0];
    for (int i = 0; i < this.literals.length; i++) {
      if (this.literals[i].length() < START) {
        tooShort = with(tooShort, i);
      } else {
        int slot = slot(this.literals[i], 0);
        byStart[slot] = with(byStart[slot] == null ? new int[0] : byStart[slot], i);
      }
    }
    shortOnes = tooShort;
  }

  private static int[] with(int[] numbers, int number) {
    int[] more = Arrays.copyOf(numbers, numbers.length + 1);
    more[numbers.length] = number;
    return more;
  }

  /** Gives numbers to texts; the same text gets the same number. */
  static final class Builder {
    private final Map<String, Integer> numbers = new HashMap<>();
    private final List<String> literals = new ArrayList<>();

    /** Returns the number of a folded text. */
    int number(String literal) {
      return numbers.computeIfAbsent(
          literal,
          text -> {
            literals.add(text);
            return literals.size() - 1;
          });
    }

    LiteralIndex build() {
      return new LiteralIndex(literals);
    }
  }

  /** Makes an index of folded texts that are numbered in their order. */
  static LiteralIndex of(List<String> literals) {
    return new LiteralIndex(literals);
  }

  /** Folds to lower case, one character for one. */
  static String fold(String text) {
    char[] folded = text.toCharArray();
    for (int i = 0; i < folded.length; i++) {
      char c = folded[i];
      folded[i] = c < 128 ? (c >= 'A' && c <= 'Z' ? (char) (c + 32) : c) : Character.toLowerCase(c);
    }
    return new String(folded);
  }

  /** Returns the numbers of the literals that occur in the folded text. */
  BitSet in(String folded) {
    BitSet found = new BitSet(literals.length);
    for (int i = 0; i <= folded.length() - START; i++) {
      int[] candidates = byStart[slot(folded, i)];
      if (candidates != null) {
        for (int candidate : candidates) {
          if (folded.startsWith(literals[candidate], i)) {
            found.set(candidate);
          }
        }
      }
    }
    for (int number : shortOnes) {
      if (folded.contains(literals[number])) {
        found.set(number);
      }
    }
    return found;
  }

  private int slot(String text, int at) {
    int hash =
        text.charAt(at) * 0x9E3779B1
            + text.charAt(at + 1) * 0x85EBCA6B
            + text.charAt(at + 2) * 0xC2B2AE35;
    return (hash ^ hash >>> 15) & mask;
  }
}
