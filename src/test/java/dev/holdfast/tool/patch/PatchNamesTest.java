package dev.holdfast.tool.patch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.tool.patch.PatchResult.Kind;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Names of files as patches write them, and those that no patch may use. */
class PatchNamesTest {
  private static Kind refused(String path) {
    PatchRejection refused =
        catchThrowableOfType(PatchRejection.class, () -> PathSafety.check(path));
    assertThat(refused).as("%s is refused", path).isNotNull();
    return refused.rejected().kind();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/etc/passwd",
        "~/x",
        "~",
        "C:/x",
        "c:x",
        "../x",
        "a/../../x",
        "a/..",
        "a/.. /x",
        "a/.../x",
        "..\u200b/x",
        "%2e%2e/x",
        "%252e%252e/x",
        "%2fetc/passwd",
        "..%5cx",
        "\uff0e\uff0e/x",
        "%c0%ae%c0%ae/x",
        ".git/config",
        "a/.GIT/hooks/x",
        ".git./config",
        ".git /config",
        ".git:x/config",
        ".git::$INDEX_ALLOCATION/config",
        "git~1/config",
        "gi7eb8~1/config",
        ".g\u200cit/config",
        ".gitmodules",
        "a/.gitmodules",
        "GITMOD~1",
        "a\u0000b",
        "a\nb",
        "a\uFFFDb",
      })
  @DisplayName("E46: what leads outside or into git's own files is unsafe, however it is written")
  void unsafe(String path) {
    assertThat(refused(path)).isEqualTo(Kind.UNSAFE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "a//b", "./a", "a/./b", "a/", "a\\b"})
  @DisplayName(
      "a name that is merely written wrong is malformed, so that the next try can be right")
  void malformed(String path) {
    assertThat(refused(path)).isEqualTo(Kind.MALFORMED);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a",
        "a.b/c-d_e.java",
        "..a",
        "a..b",
        ".github/x",
        ".gitignore",
        ".gitattributes",
        "git/config",
        "my.git/x",
        "git~x",
        "100%/x",
        "a%20b",
        "a+b",
        ".git+/a%20b",
        "grüße/日本語.txt",
        "a b",
        "~a",
      })
  @DisplayName("E46: names that only look alike are taken")
  void safe(String path) throws PatchRejection {
    PathSafety.check(path);
  }

  @Test
  @DisplayName("a name is 255 bytes long at most, a path 2000 characters")
  void lengths() throws PatchRejection {
    PathSafety.check("x".repeat(255));
    assertThat(refused("x".repeat(256))).isEqualTo(Kind.UNSAFE);
    assertThat(refused("ü".repeat(128))).isEqualTo(Kind.UNSAFE);
    PathSafety.check("ab/".repeat(666) + "ab");
    assertThat(refused("ab/".repeat(667))).isEqualTo(Kind.UNSAFE);
  }

  @Test
  @DisplayName("what cannot be seen in a path is shown in the refusal")
  void visible() {
    assertThatThrownBy(() -> PathSafety.check(".g\u200cit/x"))
        .hasMessage("The path .g\\u200cit/x leads into git's own directory. Nothing was changed.");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "a/x.txt | a/x.txt",
        "a/x y.txt | a/x y.txt",
        "a/x.txt 2026-11-21 12:00:00.0 +0000 | a/x.txt",
        "a/x.txt   2026-11-21T12:00:00Z | a/x.txt",
        "a/2026-11-21 | a/2026-11-21",
        "`a/x.txt` | a/x.txt",
        "` | `",
        "\"a/x\\ty\\\\\\\"\" | a/x\ty\\\"",
        "\"a/gr\\303\\274n\" | a/grün",
        "\"a/grün🙂\" | a/grün🙂",
        "/dev/null | /dev/null",
        "a/dev/null | /dev/null",
        "nul | /dev/null",
        "a/nul | a/nul",
      })
  @DisplayName("a header's name is read with or without quotes, a time behind it left out")
  void headerNames(String text, String name) throws PatchRejection {
    assertThat(QuotedPath.ofHeader(text)).isEqualTo(name);
  }

  @Test
  @DisplayName("what stands behind a tab is no part of a name")
  void tab() throws PatchRejection {
    assertThat(QuotedPath.ofHeader(" a/x y\t(revision 7)")).isEqualTo("a/x y");
  }

  @ParameterizedTest
  @ValueSource(strings = {"\"a", "\"", "\"a\\\"", "\"a\\q\"", "\"a\\8\""})
  @DisplayName("a quoted name with a wrong escape or without its end is malformed")
  void wrongQuotes(String text) {
    assertThatThrownBy(() -> QuotedPath.ofHeader(text)).isInstanceOf(PatchRejection.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"a/x", "a/x y", "a\"b", "a\\b", " ", "grün"})
  @DisplayName("a name that is quoted for git is read as the same name")
  void roundTrip(String name) throws PatchRejection {
    assertThat(QuotedPath.unquoted(QuotedPath.quoted(name))).isEqualTo(name);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      nullValues = "-",
      value = {
        "a/x b/x | a/x | b/x",
        "a/x y b/x y | a/x y | b/x y",
        "x x | x | x",
        "a/x b/y | a/x | b/y",
        "\"a/x y\" \"b/x y\" | a/x y | b/x y",
        "a/x \"b/x\" | a/x | b/x",
        "\"a/x\" b/x | a/x | b/x",
        "a/x b/y z | - | -",
        "x | - | -",
        "x\" | - | -",
      })
  @DisplayName("the two names behind diff --git are told apart where they can be")
  void gitNames(String text, @Nullable String old, @Nullable String changed) throws PatchRejection {
    assertThat(HeaderNames.ofGit(text)).isEqualTo(new HeaderNames(old, changed));
  }

  @ParameterizedTest
  @CsvSource({
    "a/x, b/x, x, x",
    "x, x, x, x",
    "./x, ./x, x, x",
    "a/./x, b/./x, x, x",
    "i/x, w/x, x, x",
    "a/there, b/there, there, there",
    "a/only, b/only, a/only, a/only",
    "a/gone, b/there, there, there",
    "/dev/null, b/new, /dev/null, new",
    "a/old, /dev/null, old, /dev/null",
  })
  @DisplayName("prefixes are left out, unless only the name with one is a file")
  void resolved(String old, String changed, String left, String right) throws PatchRejection {
    Set<String> files = Set.of("there", "a/only");
    assertThat(new HeaderNames(old, changed).resolved(files::contains))
        .isEqualTo(new HeaderNames(left, right));
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        "a/x, b/y, two files",
        "/dev/null, /dev/null, name the file",
        "-, b/x, incomplete",
        "a/x, -, incomplete"
      })
  @DisplayName("headers that cannot be one file are malformed, with what to write instead")
  void unresolved(@Nullable String old, @Nullable String changed, String words) {
    assertThatThrownBy(() -> new HeaderNames(old, changed).resolved(_ -> false))
        .isInstanceOf(PatchRejection.class)
        .hasMessageContaining(words);
    assertThatThrownBy(() -> new HeaderNames(old, changed).resolved(_ -> true))
        .as("where there are such files as well")
        .hasMessageContaining(words);
  }
}
