package dev.holdfast.tool.patch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.tool.patch.AnswerPart.Chunk;
import dev.holdfast.tool.patch.AnswerPart.Deletion;
import dev.holdfast.tool.patch.AnswerPart.Diff;
import dev.holdfast.tool.patch.AnswerPart.Edit;
import dev.holdfast.tool.patch.AnswerPart.NewFile;
import dev.holdfast.tool.patch.AnswerPart.WholeFile;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Diffs and blocks in what a model answers. */
class AnswerReaderTest {
  private static final Set<String> FILES =
      Set.of("Makefile", "a/there.txt", "Node.js", "__init__.py", "_notes_");
  private static final String DIFF = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b";
  private static final String BLOCK = "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n";

  private static List<AnswerPart> read(String answer) throws PatchRejection {
    return new AnswerReader(answer, FILES::contains).read();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {
        "src/Main.java | src/Main.java",
        "**src/Main.java** | src/Main.java",
        "### `src/Main.java`: | src/Main.java",
        "1. src/Main.java (new file) | src/Main.java",
        "- `Main.java` | Main.java",
        "Main.java (new file) | Main.java",
        "File: Main.java | Main.java",
        "**Filename:** `src/a b.txt` | src/a b.txt",
        "path: Makefile | Makefile",
        "Makefile | Makefile",
        "`src/Makefile` | src/Makefile",
        "Node.js | Node.js",
        "__tests__/app.test.js | __tests__/app.test.js",
        "**`__tests__/app.test.js`**: | __tests__/app.test.js",
        "File: __main__.py | __main__.py",
        "File: `_config.yml` | _config.yml",
        "__File:__ src/Main.java | src/Main.java",
        "_File:_ _src/Main.java_ | src/Main.java",
        "(src/Main.java) | src/Main.java",
        "[src/Main.java] | src/Main.java",
        "__src/Main.java__ | src/Main.java",
        "### `(shop)/[id].tsx` | (shop)/[id].tsx",
        "[id]/(all)/_x.ts | [id]/(all)/_x.ts",
        "**[id]/[name]** | [id]/[name]",
        "__init__.py | __init__.py",
        "**File:** _notes_ | _notes_",
        "Vue.js | -",
        "Before/After | -",
        "See https://example.org/x.html | -",
        "here it is: | -",
        "e.g. this one | -",
      })
  @DisplayName("the line above a block names its file where it is a path, and prose does not")
  void labels(String line, @Nullable String path) {
    assertThat(new MentionedPath(FILES::contains).above(line).orElse(null)).isEqualTo(path);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      quoteCharacter = '~',
      value = {
        "java src/Main.java | src/Main.java",
        "java:src/Main.java | src/Main.java",
        "title=\"src/Main.java\" | src/Main.java",
        "js {file='x.js'} | x.js",
        "Makefile | Makefile",
        "java | -",
        "c++ numbers | -",
        "https://example.org/a.b | -",
      })
  @DisplayName("a fence names its file behind its language or in an attribute")
  void fences(String info, @Nullable String path) {
    assertThat(new MentionedPath(FILES::contains).inFence(info).orElse(null)).isEqualTo(path);
  }

  @ParameterizedTest
  @ValueSource(strings = {"helper.py", ".env", "Makefile", "`.env`", "**Makefile**", "a-b_c"})
  @DisplayName("one word right above a block that makes a file is its path, also at the root")
  void newAtRoot(String line) throws PatchRejection {
    String made = "<<<<<<< SEARCH\n=======\nb\n>>>>>>> REPLACE\n";
    String path = line.replaceAll("[`*]", "");
    assertThat(read("I add a file.\n\n" + line.replace("Makefile", "Makefile2") + "\n" + made))
        .containsExactly(new Edit(path.replace("Makefile", "Makefile2"), "", "b\n"));
    assertThat(read("a/there.txt\n" + BLOCK + "\n" + line + "\n" + made).getLast())
        .isEqualTo(new Edit(path, "", "b\n"));
    assertThat(read("a/there.txt\n" + BLOCK + "\n" + line + "\n```sh\n" + made + "```\n").getLast())
        .isEqualTo(new Edit(path, "", "b\n"));
    assertThat(read("```\n" + line + "\n" + made + "```\n"))
        .containsExactly(new Edit(path, "", "b\n"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"Then:", "Done.", "}", "a new file", "- ", "```"})
  @DisplayName("what is no word above a block without a path is refused, and named")
  void noPath(String line) {
    assertThatThrownBy(() -> read(line + "\n<<<<<<< SEARCH\n=======\nb\n>>>>>>> REPLACE\n"))
        .isInstanceOf(PatchRejection.class)
        .hasMessageContaining("has no path: write \"File: PATH\"");
    assertThatThrownBy(() -> read("Vue.js\n" + BLOCK))
        .isInstanceOf(PatchRejection.class)
        .hasMessageContaining("\"Vue.js\" is not taken for one");
  }

  @Test
  @DisplayName("a diff is found bare, in a fence, and in one that is not closed")
  void diffs() throws PatchRejection {
    assertThat(read("Here:\n" + DIFF + "\n")).containsExactly(new Diff(DIFF + "\n", false, false));
    assertThat(read("Here:\n" + DIFF)).containsExactly(new Diff(DIFF, false, true));
    assertThat(read("```diff\n" + DIFF + "\n```\nDone."))
        .containsExactly(new Diff(DIFF, true, false));
    assertThat(read("```\n" + DIFF + "\n```")).containsExactly(new Diff(DIFF, true, false));
    assertThat(read("~~~~\n" + DIFF)).containsExactly(new Diff(DIFF, true, true));
    assertThat(read("Just words.\n")).isEmpty();
  }

  @Test
  @DisplayName("a fence without a path and without a diff is an example and left alone")
  void examples() throws PatchRejection {
    assertThat(read("For example:\n```java\nint i;\n```\n")).isEmpty();
  }

  @Test
  @DisplayName("a fence below a path is the whole file, known as cut off where it has no end")
  void wholeFiles() throws PatchRejection {
    assertThat(read("src/A.java\n\n```java\nint i;\r\n\n```\n"))
        .containsExactly(new WholeFile("src/A.java", "int i;\n\n", false));
    assertThat(read("src/A.java\n```java\nint i;"))
        .containsExactly(new WholeFile("src/A.java", "int i;\n", true));
    assertThat(read("src/A.java\n```\n```\n"))
        .containsExactly(new WholeFile("src/A.java", "", false));
    assertThat(read("<file path='a.txt'>\nx\n</file>\n<file name=\"b.txt\">\ny"))
        .containsExactly(new WholeFile("a.txt", "x\n", false), new WholeFile("b.txt", "y\n", true));
  }

  @Test
  @DisplayName(
      "a fence in a file does not end it where it has an end of its own, or the outer one is"
          + " longer")
  void nested() throws PatchRejection {
    String inner = "```sh\nls\n```\n";
    assertThat(read("docs/a.md\n```\n" + inner + "```\n"))
        .containsExactly(new WholeFile("docs/a.md", inner, false));
    assertThat(read("docs/a.txt\n````\n" + inner + "````\n"))
        .containsExactly(new WholeFile("docs/a.txt", inner, false));
    assertThat(read("1. docs/a.txt\n   ```\n   x\n   ```\n"))
        .as("indented as its list")
        .containsExactly(new WholeFile("docs/a.txt", "x\n", false));
    String example = "def f():\n    \"\"\"\n    ```python\n    f()\n    ```\n    \"\"\"\n";
    assertThat(read("File: a.py\n```python\n" + example + "```\nDone.\n"))
        .containsExactly(new WholeFile("a.py", example, false));
    String lone =
        example.replace("```python", "::").replace("    f", "\tf").replace("    `", "\t`");
    assertThat(read("File: a.py\n```python\n" + lone + "   ```\nDone.\n"))
        .as("a lone one that is indented further")
        .containsExactly(new WholeFile("a.py", lone, false));
    assertThat(read("File: a.py\n```python\n" + inner + "x = 1\n```\nDone.\n"))
        .containsExactly(new WholeFile("a.py", inner + "x = 1\n", false));
    assertThat(read("docs/a.md\n```\n1. x\n\n    ```sh\n    ls\n    ```\n```\n"))
        .containsExactly(new WholeFile("docs/a.md", "1. x\n\n    ```sh\n    ls\n    ```\n", false));
    assertThat(read("File: a.py\n```python\n```sh\nx = 1\n```\nDone.\n"))
        .as("not closed: known as cut off, and refused later")
        .containsExactly(new WholeFile("a.py", "```sh\nx = 1\n```\nDone.\n\n", true));
  }

  @Test
  @DisplayName(
      "search/replace blocks have their path above them, in the fence, or from the last one")
  void edits() throws PatchRejection {
    Edit edit = new Edit("src/A.java", "a\n", "b\n");
    assertThat(read("src/A.java\n" + BLOCK + "\nand\n\n" + BLOCK)).containsExactly(edit, edit);
    assertThat(read("```java\nsrc/A.java\n" + BLOCK + "```\n")).containsExactly(edit);
    assertThat(read("```java src/A.java\n" + BLOCK + "```\n")).containsExactly(edit);
    assertThat(read("src/A.java\n" + BLOCK.replace("\n", "\r\n"))).containsExactly(edit);
  }

  @ParameterizedTest
  @ValueSource(strings = {"new.txt\n", "new.txt\n\n", "new.txt:\n"})
  @DisplayName("a fence that may be a new file is not left out of an answer of several parts")
  void unclearFence(String above) throws PatchRejection {
    String fence = above + "```\nx\n```\n";
    String edit = "a/there.txt\n" + BLOCK;
    for (String answer : List.of(edit + "\n" + fence, fence + "\n" + edit)) {
      assertThatThrownBy(() -> read(answer))
          .isInstanceOf(PatchRejection.class)
          .hasMessageContaining("write \"File: new.txt\" above it");
    }
    assertThat(read(fence)).isEmpty();
    assertThat(read(edit + "\n# Node.js\n```\nx\n```\nOf new.txt:\n```\nx\n```\n")).hasSize(2);
  }

  @Test
  @DisplayName("a block's path may have a blank line below it, also in a fence")
  void editsBelowBlankLines() throws PatchRejection {
    Edit first = new Edit("src/A.java", "a\n", "b\n");
    Edit second = new Edit("src/B.java", "a\n", "b\n");
    assertThat(read("```java\nsrc/A.java\n" + BLOCK + "\nsrc/B.java\n\n" + BLOCK + "```\n"))
        .containsExactly(first, second);
    assertThat(read("src/A.java\n```java\n\nsrc/B.java\n\n\n" + BLOCK + "```\n"))
        .containsExactly(second);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "src/B.java\n\n\n",
        "Now in `src/B.java` this:\n\n",
        "And in the Makefile, line 3:\n",
        "```java\nsrc/B.java, as said:\n",
      })
  @DisplayName("a block is not taken for the last one's file where another is named in between")
  void otherFileBetween(String between) {
    assertThatThrownBy(() -> read("src/A.java\n" + BLOCK + "\n" + between + BLOCK))
        .isInstanceOf(PatchRejection.class)
        .hasMessageContaining("has no path");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n",
        "src/A.java\n<<<<<<< SEARCH\na\n=======\nb\n",
        "src/A.java\n<<<<<<< SEARCH\na\n>>>>>>> REPLACE\n",
        "src/A.java\n<<<<<<< SEARCH\na\n=======\nb\n=======\nc\n>>>>>>> REPLACE\n",
        "src/A.java\n<<<<<<< SEARCH\na\n<<<<<<< SEARCH\n=======\nc\n>>>>>>> REPLACE\n",
        "*** Begin Patch\n*** Update File: a\n@@\n-a\n+b\n",
        "*** Begin Patch\n*** End Patch\n",
        "*** Begin Patch\n*** Update File: a\n*** End Patch\n",
        "*** Begin Patch\n*** Delete File: b\n*** Update File: a\n*** End Patch\n",
        "*** Begin Patch\nwords\n*** End Patch\n",
        "*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@\n-a\n*** End Patch\n",
        "*** Begin Patch\n*** Update File: a\n@@\n-a\nno mark\n*** End Patch\n",
        "*** Begin Patch\n*** Add File: a\nno mark\n*** End Patch\n",
      })
  @DisplayName("half a block is refused as a whole, and never taken as far as it goes")
  void halfBlocks(String answer) {
    assertThatThrownBy(() -> read(answer)).isInstanceOf(PatchRejection.class);
  }

  @Test
  @DisplayName("an envelope's files are read with anchors, ends of file and blank lines between")
  void envelope() throws PatchRejection {
    String answer =
        """
        *** Begin Patch
        *** Update File: a.txt
        @@ class A
        @@   void run()
         one
        -two
        +TWO

        @@ -3,2 +3,2 @@
        +four
        *** End of File

        *** Add File: b.txt
        +x
        +
        *** Delete File: c.txt
        *** End Patch
        """;
    assertThat(read(answer))
        .containsExactly(
            new Chunk("a.txt", List.of("class A", "void run()"), "one\ntwo\n", "one\nTWO\n", false),
            new Chunk("a.txt", List.of(), "", "four\n", true),
            new NewFile("b.txt", "x\n\n"),
            new Deletion("c.txt"));
    assertThat(
            read(
                "*** Begin Patch\n*** Add File: b\n\n+x\n\n  \n+y\n\n*** Add File: c\n+z\n\n"
                    + "*** End Patch\n"))
        .as("empty lines of a file without their +")
        .containsExactly(new NewFile("b", "x\n\n\ny\n"), new NewFile("c", "z\n"));
    assertThat(read("```\n" + answer + "```\n")).hasSize(4);
    assertThat(read(answer.replace("\n", "\r\n"))).isEqualTo(read(answer));
  }
}
