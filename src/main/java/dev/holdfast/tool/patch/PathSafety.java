package dev.holdfast.tool.patch;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Refuses the names that a patch must not use (E46). It also refuses what some file system or
 * decoder would take for such a name: percent-encoding, full-width letters, invisible characters,
 * {@code git~1}, a colon or dots at the end.
 */
final class PathSafety {
  private static final int MAX_NAME = 255;
  static final int MAX_PATH = 2000;

  /** The longest path in bytes; with the directories before it, a machine accepts 4096. */
  private static final int MAX_PATH_BYTES = 3000;

  private static final int MAX_ENCODINGS = 4;
  private static final Pattern ABSOLUTE = Pattern.compile("/.*|~(?:/.*)?|[A-Za-z]:.*");
  private static final Pattern INVISIBLE = Pattern.compile("[\\p{Cf}\\p{Cc}]");
  private static final Pattern SHORT_GIT = Pattern.compile("git~\\d+|gi[0-9a-f]{4}~\\d+");

  private PathSafety() {}

  /**
   * @throws PatchRejection if it leads, or could be taken to lead, where no patch may write
   */
  static void check(String path) throws PatchRejection {
    if (path.isBlank()) {
      throw PatchRejection.malformed("A file's name is missing in the patch's headers.");
    }
    if (path.indexOf('\uFFFD') >= 0 || path.chars().anyMatch(Character::isISOControl)) {
      throw unsafe(path, "has characters that no file name should have");
    }
    if (path.length() > MAX_PATH || path.getBytes(StandardCharsets.UTF_8).length > MAX_PATH_BYTES) {
      throw unsafe(path.substring(0, MAX_NAME), "is too long");
    }
    for (String reading : readings(path)) {
      checkReading(path, reading);
    }
    if (path.indexOf('\\') >= 0) {
      throw PatchRejection.malformed(
          "The path " + path + " has backslashes: separate directories with /.");
    }
  }

  private static void checkReading(String path, String reading) throws PatchRejection {
    String slashes = reading.replace('\\', '/');
    if (ABSOLUTE.matcher(slashes).matches()) {
      throw unsafe(path, "is absolute: write it relative to the root of the repository");
    }
    for (String name : slashes.split("/", -1)) {
      if (name.isEmpty() || name.equals(".")) {
        throw PatchRejection.malformed(
            "The path " + path + " has an empty name in it: write it without.");
      }
      if (name.getBytes(StandardCharsets.UTF_8).length > MAX_NAME) {
        throw unsafe(path.substring(0, Math.min(MAX_NAME, path.length())), "is too long");
      }
      checkName(path, name);
    }
  }

  private static void checkName(String path, String name) throws PatchRejection {
    String bare = bare(name);
    if (bare.isEmpty() && name.chars().filter(c -> c == '.').count() >= 2) {
      throw unsafe(path, "contains \"..\": only paths inside the repository are allowed");
    }
    if (bare.equals(".git") || SHORT_GIT.matcher(bare).matches()) {
      throw unsafe(path, "leads into git's own directory");
    }
    if (bare.equals(".gitmodules") || bare.startsWith("gitmod~")) {
      throw unsafe(path, "is the list of submodules");
    }
  }

  /** Returns a name as the most tolerant file system compares it. */
  private static String bare(String name) {
    String visible = INVISIBLE.matcher(name).replaceAll("");
    int stream = visible.indexOf(':');
    String file = stream >= 0 ? visible.substring(0, stream) : visible;
    int end = file.length();
    while (end > 0
        && (file.charAt(end - 1) == '.' || Character.isWhitespace(file.charAt(end - 1)))) {
      end--;
    }
    return file.substring(0, end).strip().toLowerCase(Locale.ROOT);
  }

  /** Returns the name itself and everything that it decodes to. */
  private static List<String> readings(String path) throws PatchRejection {
    List<String> readings = new ArrayList<>(List.of(path));
    add(readings, Normalizer.normalize(path, Normalizer.Form.NFKC));
    String decoded = path;
    for (int i = 0; i < MAX_ENCODINGS && decoded.indexOf('%') >= 0; i++) {
      decoded = decoded(decoded);
      if (decoded.indexOf('\uFFFD') >= 0) {
        throw unsafe(path, "is percent-encoded");
      }
      add(readings, decoded);
      add(readings, Normalizer.normalize(decoded, Normalizer.Form.NFKC));
    }
    return readings;
  }

  private static void add(List<String> readings, String reading) {
    if (!readings.contains(reading) && !reading.isEmpty()) {
      readings.add(reading);
    }
  }

  /** Decodes a name; one with a percent sign that encodes nothing stays as it is. */
  private static String decoded(String path) {
    try {
      return URLDecoder.decode(path.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      return path;
    }
  }

  static PatchRejection unsafe(String path, String why) {
    return PatchRejection.unsafe(
        "The path " + visible(path) + " " + why + ". Nothing was changed.");
  }

  private static String visible(String path) {
    StringBuilder text = new StringBuilder();
    path.codePoints()
        .forEach(
            c -> {
              int type = Character.getType(c);
              if (type == Character.CONTROL || type == Character.FORMAT) {
                text.append(String.format(Locale.ROOT, "\\u%04x", c));
              } else {
                text.appendCodePoint(c);
              }
            });
    return text.toString();
  }
}
