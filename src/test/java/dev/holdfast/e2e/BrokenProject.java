package dev.holdfast.e2e;

import dev.holdfast.testing.JavaCommand;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A small project in a git repository with a bug that its check finds.
 *
 * @param files by path
 * @param check the verification, as a design has it
 * @param source the file with the bug
 * @param buggy the line with the bug
 * @param wrong a line that does not mend it
 * @param right the line that does
 * @param lengthy lines that do as well
 */
record BrokenProject(
    Map<String, String> files,
    List<String> check,
    String source,
    String buggy,
    String wrong,
    String right,
    String lengthy) {

  /** Its check is a program of its own, compiled from its sources by the launcher. */
  static BrokenProject java() {
    return new BrokenProject(
        Map.of(
            "src/Money.java",
            """
            final class Money {
              static int total(int price, int count) {
                return price + count;
              }
            }
            """,
            "src/MoneyCheck.java",
            """
            final class MoneyCheck {
              public static void main(String[] arguments) {
                if (Money.total(3, 4) != 12) {
                  System.err.println("FAIL total(3, 4) is wrong, see Money.java");
                  System.exit(1);
                }
              }
            }
            """),
        JavaCommand.java("src/MoneyCheck.java"),
        "src/Money.java",
        "    return price + count;",
        "    return price - count;",
        "    return price * count;",
        """
            int total = 0;
            for (int i = 0; i < count; i++) {
              total += price;
            }
            return total;\
        """);
  }

  /** Its check takes no time worth telling. */
  static BrokenProject shell() {
    return new BrokenProject(
        Map.of(
            "total.sh",
            """
            price=$1 count=$2
            echo $((price + count))
            """,
            "check.sh",
            """
            [ "$(sh total.sh 3 4)" = 12 ] || { echo 'FAIL total 3 4 is wrong, see total.sh' >&2; exit 1; }
            """),
        List.of("sh", "check.sh"),
        "total.sh",
        "echo $((price + count))",
        "echo $((price - count))",
        "echo $((price * count))",
        """
        total=0
        while [ "$count" -gt 0 ]; do
          total=$((total + price)) count=$((count - 1))
        done
        echo $total\
        """);
  }

  static BrokenProject node() {
    return new BrokenProject(
        Map.of(
            "money.js",
            """
            function total(price, count) {
              return price + count;
            }
            module.exports = { total };
            """,
            "check.js",
            """
            const { total } = require('./money.js');
            if (total(3, 4) !== 12) {
              console.error('FAIL total(3, 4) is wrong, see money.js');
              process.exit(1);
            }
            """),
        List.of("node", "check.js"),
        "money.js",
        "  return price + count;",
        "  return price - count;",
        "  return price * count;",
        """
          let total = 0;
          for (let i = 0; i < count; i++) {
            total += price;
          }
          return total;\
        """);
  }

  /** Commits it on the branch main. */
  void commitIn(Path directory) throws IOException, InterruptedException {
    for (Map.Entry<String, String> file : files.entrySet()) {
      Path path = directory.resolve(file.getKey());
      Files.createDirectories(path.getParent());
      Files.writeString(path, file.getValue());
    }
    git(directory, "init", "-q", "-b", "main");
    git(directory, "add", "-A");
    git(directory, "commit", "-q", "-m", "The project");
  }

  static String git(Path directory, String... words) throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(List.of("git", "-c", "user.name=t", "-c", "user.email=t@example.com"));
    command.addAll(List.of(words));
    Process process =
        new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true).start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new AssertionError(command + ": " + out);
    }
    return out.strip();
  }

  /** An answer that replaces the line with the bug. */
  String change(String to) {
    return change(buggy, to);
  }

  String change(String from, String to) {
    return "The total is wrong.\n\n"
        + source
        + "\n<<<<<<< SEARCH\n"
        + from
        + "\n=======\n"
        + to
        + "\n>>>>>>> REPLACE\n";
  }

  /** A diff whose hunk contradicts itself and the file. */
  String corrupt() {
    return """
    Here is the fix:

    ```diff
    --- a/%1$s
    +++ b/%1$s
    @@ -40,7 +40,2 @@ nothing like it
     a line that is nowhere
    -another one
    +  fixed
    @@ garbage @@
    ```
    """
        .formatted(source);
  }
}
