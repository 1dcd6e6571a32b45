package dev.holdfast.repair;

import java.util.BitSet;

/**
 * A text in which very many words are searched, most of which are not in it. Most of those are
 * recognised by the text's pieces of a few characters, without a search in the text.
 */
final class SearchedText {
  private static final int SHORT = 3;
  private static final int LONG = 8;
  private static final int BITS = 1 << 26;

  private final String text;
  private final BitSet shortPieces;
  private final BitSet longPieces;

  SearchedText(String text) {
    this.text = text;
    this.shortPieces = pieces(text, SHORT);
    this.longPieces = pieces(text, LONG);
  }

  boolean contains(String word) {
    return isPossible(word) && text.contains(word);
  }

  private boolean isPossible(String word) {
    int length = word.length() < LONG ? SHORT : LONG;
    BitSet known = length == LONG ? longPieces : shortPieces;
    for (int from = 0; from + length <= word.length(); from++) {
      if (!known.get(bit(word, from, length))) {
        return false;
      }
    }
    return true;
  }

  private static BitSet pieces(String text, int length) {
    BitSet pieces = new BitSet();
    for (int from = 0; from + length <= text.length(); from++) {
      pieces.set(bit(text, from, length));
    }
    return pieces;
  }

  private static int bit(String text, int from, int length) {
    int hash = 0;
    for (int i = from; i < from + length; i++) {
      hash = 31 * hash + text.charAt(i);
    }
    return (hash ^ hash >>> 15) & BITS - 1;
  }
}
