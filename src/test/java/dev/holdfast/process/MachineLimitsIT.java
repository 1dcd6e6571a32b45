package dev.holdfast.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.JavaCommand;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@Tag("slow")
@Timeout(120)
@EnabledOnOs(OS.LINUX)
class MachineLimitsIT {
  private static final int MOST_FREE = 30;

  /** Has few files, takes all of them, and starts a program again for each that it gives back. */
  static final class Starved {
    private Starved() {}

    public static void main(String[] arguments) throws Exception {
      // Their files could not be read later.
      Class.forName(NotPreparedException.class.getName());
      Class.forName(TextTooLongException.class.getName());
      say(start());
      int before = openFiles();
      List<InputStream> taken = new ArrayList<>();
      takeAll(taken);
      for (int free = 0; free <= MOST_FREE; free++) {
        say(start());
        taken.removeLast().close();
      }
      for (InputStream each : taken) {
        each.close();
      }
      say("left open: " + (openFiles() - before));
    }

    private static void say(String words) {
      System.out.println(words);
    }

    private static int openFiles() {
      return Objects.requireNonNull(new File("/proc/self/fd").list()).length;
    }

    private static void takeAll(List<InputStream> taken) {
      try {
        while (true) {
          taken.add(new FileInputStream("/dev/null"));
        }
      } catch (FileNotFoundException e) {
        say("took " + (taken.size() > MOST_FREE));
      }
    }

    private static String start() throws InterruptedException {
      Map<String, String> environment = Map.of("PATH", "/bin", ProgramRun.RUN_ID, "starved");
      try (ProgramRun run =
          ProgramRun.start(
              List.of("/bin/true"), Path.of("/"), environment, "", OutputLimits.merged(0, 100))) {
        return run.await(Duration.ofSeconds(30), Duration.ZERO).toString();
      } catch (NotPreparedException e) {
        return "not prepared";
      } catch (IOException e) {
        return e.toString();
      }
    }
  }

  @Test
  @DisplayName(
      "whatever a program needs when no more files can be opened, it is the machine that lacks it"
          + " and not the program that is wrong; nothing of it stays open")
  void openFiles() throws Exception {
    List<String> command =
        new ArrayList<>(List.of("sh", "-c", "ulimit -n 500 && exec \"$@\"", "sh"));
    command.addAll(
        JavaCommand.java(
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            System.getProperty("java.class.path"),
            Starved.class.getName()));
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(said)
        .matches(
            "Exited\\[code=0]\n"
                + "took true\n"
                + "(not prepared\n"
                + "){3,}(Exited\\[code=0]\n"
                + "){3,}left open: 0\n");
  }
}
