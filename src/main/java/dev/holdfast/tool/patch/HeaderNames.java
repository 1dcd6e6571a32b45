package dev.holdfast.tool.patch;

import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The two names of a file in a patch's headers.
 *
 * @param old as written, unquoted; {@link QuotedPath#NONE} for a new file; null if it is not known
 * @param changed the same for the other side
 */
record HeaderNames(@Nullable String old, @Nullable String changed) {
  static final HeaderNames UNKNOWN = new HeaderNames(null, null);

  /** Reads the names after {@code diff --git}. */
  static HeaderNames ofGit(String text) throws PatchRejection {
    String rest = text.strip();
    if (rest.startsWith("\"")) {
      int end = QuotedPath.closing(rest);
      return new HeaderNames(
          QuotedPath.ofHeader(rest.substring(0, end + 1)),
          QuotedPath.ofHeader(rest.substring(end + 1)));
    }
    if (rest.endsWith("\"")) {
      int quote = rest.indexOf(" \"");
      return quote < 0
          ? UNKNOWN
          : new HeaderNames(
              QuotedPath.ofHeader(rest.substring(0, quote)),
              QuotedPath.ofHeader(rest.substring(quote + 1)));
    }
    // This is one name twice, each perhaps with a prefix, so the blank between them is in the
    // middle.
    for (int at = rest.indexOf(' ', rest.length() / 2 - 2);
        at >= 0 && at <= rest.length() / 2 + 2;
        at = rest.indexOf(' ', at + 1)) {
      String left = rest.substring(0, at);
      String right = rest.substring(at + 1);
      if (unprefixed(left, "a/").equals(unprefixed(right, "b/"))) {
        return new HeaderNames(left, right);
      }
    }
    String[] words = rest.split(" ", -1);
    return words.length == 2
        ? new HeaderNames(QuotedPath.ofHeader(words[0]), QuotedPath.ofHeader(words[1]))
        : UNKNOWN;
  }

  boolean isKnown() {
    return old != null && changed != null;
  }

  boolean isCreation() {
    return QuotedPath.NONE.equals(old);
  }

  boolean isDeletion() {
    return QuotedPath.NONE.equals(changed);
  }

  /** Returns the path of the existing file; for a new file, that of the future one. */
  String existing() {
    return Objects.requireNonNull(isCreation() ? changed : old);
  }

  String resulting() {
    return Objects.requireNonNull(isDeletion() ? old : changed);
  }

  /**
   * Returns the names without prefixes, and one name where the two should be one.
   *
   * @throws PatchRejection if they cannot be one file
   */
  HeaderNames resolved(Predicate<String> exists) throws PatchRejection {
    if (old == null || changed == null) {
      throw PatchRejection.malformed(
          "A file's headers are incomplete: write both \"--- a/PATH\" and \"+++ b/PATH\".");
    }
    if (isCreation() && isDeletion()) {
      throw PatchRejection.malformed("Both headers of a file say /dev/null: name the file.");
    }
    if (isCreation()) {
      // A file that exists is not one that is made.
      return new HeaderNames(old, plain(changed, "b/", path -> false));
    }
    if (isDeletion()) {
      return new HeaderNames(plain(old, "a/", exists), changed);
    }
    boolean prefixed = hasPrefix(old) && hasPrefix(changed);
    if (prefixed && old.substring(2).equals(changed.substring(2))) {
      String one = plain(old, old.substring(0, 2), exists);
      return new HeaderNames(one, one);
    }
    String left = plain(old, "a/", exists);
    String right = plain(changed, "b/", exists);
    if (left.equals(right)) {
      return new HeaderNames(left, right);
    }
    if (exists.test(right) && !exists.test(left)) {
      return new HeaderNames(right, right);
    }
    throw PatchRejection.malformed(
        ("The headers name two files, %s and %s: write the same path in both, or \"rename"
                + " from\" and \"rename to\" lines for a rename.")
            .formatted(left, right));
  }

  /** Returns a name without its prefix, unless only the name with the prefix is a file. */
  static String plain(String name, String prefix, Predicate<String> exists) {
    String bare = unprefixed(name, prefix);
    return withoutDot(!bare.equals(name) && exists.test(name) && !exists.test(bare) ? name : bare);
  }

  static String withoutDot(String name) {
    String plain = name;
    while (plain.startsWith("./")) {
      plain = plain.substring(2);
    }
    return plain;
  }

  /**
   * True for the prefixes {@code a/} and {@code b/}, and those that git writes where {@code
   * diff.mnemonicPrefix} is set.
   */
  private static boolean hasPrefix(String name) {
    return name.length() > 2 && "abciow".indexOf(name.charAt(0)) >= 0 && name.charAt(1) == '/';
  }

  private static String unprefixed(String name, String prefix) {
    return name.startsWith(prefix) && hasPrefix(name) ? name.substring(2) : name;
  }
}
