package dev.holdfast.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.JavaCommand;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;

@Tag("slow")
@Timeout(120)
@EnabledOnOs(OS.LINUX)
class ProcessSealIT {
  @TempDir private Path directory;

  private static final List<String> AS_NOBODY =
      List.of("/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups");

  /** Of the list of mapped memory: only who may read the memory may open it. */
  private static final String LOOK =
      "tr '\\0' '\\n"
          + "' < /proc/$PPID/environ; head -c 1 /proc/$PPID/maps > /dev/null && echo is-open";

  /** Seals itself, then lets a child look at it until that cannot read its memory any more. */
  static final class Sealed {
    private Sealed() {}

    public static void main(String[] arguments) throws Exception {
      System.out.println("before: " + child());
      ProcessSeal.apply();
      String seen = child();
      for (int i = 0; i < 200 && seen.contains("is-open"); i++) {
        seen = child();
      }
      for (Thread thread : Thread.getAllStackTraces().keySet()) {
        if (thread.getName().equals("holdfast-seal")) {
          thread.join();
        }
      }
      System.out.println("after: " + seen + "\nown: " + System.getenv("SEAL_CANARY"));
      System.out.println("attached: " + attached());
    }

    /** What a neighbour of the same user is answered who wants to look into this JVM. */
    private static String attached() throws Exception {
      // No class of the tests is there.
      String jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
      String pid = Long.toString(ProcessHandle.current().pid());
      Process process =
          new ProcessBuilder(
                  jcmd, "-J-Dsun.tools.attach.attachTimeout=1000", pid, "VM.system_properties")
              .redirectErrorStream(true)
              .start();
      byte[] said = process.getInputStream().readAllBytes();
      return process.waitFor() + " " + new String(said, StandardCharsets.UTF_8);
    }

    private static String child() throws Exception {
      ProcessBuilder builder = new ProcessBuilder("/bin/sh", "-c", LOOK).redirectErrorStream(true);
      builder.environment().remove("SEAL_CANARY");
      byte[] said = builder.start().getInputStream().readAllBytes();
      return new String(said, StandardCharsets.UTF_8);
    }
  }

  /** Where every user may read them. */
  private List<String> copiedClasses() throws Exception {
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
    String own = "dev/holdfast/process";
    Path to = Files.createDirectories(directory.resolve(own));
    for (Class<?> type : List.of(ProcessSeal.class, ProcessSealIT.class)) {
      try (Stream<Path> classes = Files.list(source(type).resolve(own))) {
        for (Path each : classes.filter(file -> file.toString().endsWith(".class")).toList()) {
          Files.copy(each, to.resolve(each.getFileName()), StandardCopyOption.REPLACE_EXISTING);
        }
      }
    }
    Path jar = directory.resolve("slf4j.jar");
    Files.copy(source(Logger.class), jar);
    return List.of(directory.toString(), jar.toString());
  }

  private static boolean isReadableForOthers(String java, String jar) throws Exception {
    List<String> command = new ArrayList<>(AS_NOBODY);
    command.addAll(List.of("/bin/sh", "-c", "test -x \"$0\" && test -r \"$1\"", java, jar));
    return Files.isExecutable(Path.of(AS_NOBODY.getFirst()))
        && new ProcessBuilder(command).start().waitFor() == 0;
  }

  private static Path source(Class<?> type) throws Exception {
    return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
  }

  @Test
  @DisplayName(
      "issue 20: a sealed process shows no value of its environment and reads it still; its memory"
          + " is closed to other processes of its user, unless that is root, and nobody attaches to"
          + " the JVM")
  void seal() throws Exception {
    List<String> classPath = copiedClasses();
    String java = JavaCommand.path("java");
    boolean root = "root".equals(System.getProperty("user.name"));
    boolean other = root && isReadableForOthers(java, classPath.getLast());
    List<String> command = new ArrayList<>(other ? AS_NOBODY : List.of());
    command.addAll(
        List.of(
            java,
            "-XX:TieredStopAtLevel=1",
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            String.join(File.pathSeparator, classPath),
            Sealed.class.getName()));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("SEAL_CANARY", "canary-of-the-seal");
    builder.environment().put("LC_ALL", "C");
    builder.environment().put(ProgramRun.RUN_ID, "run-of-the-seal");
    Process process = builder.start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    String before = out.substring(out.indexOf("before: "), out.indexOf("after: "));
    String after = out.substring(out.indexOf("after: "), out.indexOf("own: "));
    assertThat(before).as(out).contains("SEAL_CANARY=canary-of-the-seal", "is-open");
    assertThat(after).doesNotContain("canary-of-the-seal");
    assertThat(out).contains("own: canary-of-the-seal");
    assertThat(out.substring(out.indexOf("attached: ")))
        .startsWith("attached: 1 ")
        .contains("AttachNotSupportedException")
        .doesNotContain("java.home");
    if (other || !root) {
      assertThat(after).contains("ermission denied").doesNotContain("is-open");
    } else {
      assertThat(after).contains("SEAL_CANARY=\n", "PATH=/", "run-of-the-seal");
    }
  }
}
