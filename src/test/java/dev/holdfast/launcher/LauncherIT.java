package dev.holdfast.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The script {@code holdfast} in a checkout of its own, with a Java and a Maven that only tell how
 * they were called.
 */
@Tag("slow")
@Timeout(120)
class LauncherIT {
  private record Outcome(int exit, String stdout, String stderr) {}

  @TempDir Path directory;
  private Path root;
  private Path tools;
  private Path jar;

  @BeforeEach
  void layOutCheckout() throws IOException {
    directory = directory.toRealPath();
    root = Files.createDirectories(directory.resolve("check out"));
    tools = Files.createDirectories(directory.resolve("tools"));
    jar = root.resolve("target/holdfast.jar");
    Files.createDirectories(root.resolve("src/main"));
    Files.writeString(root.resolve("pom.xml"), "<project/>");
    Files.writeString(root.resolve("whole.jar"), "PK\3\4 jar PK\5\6" + "0".repeat(18));
    // No JDK of this machine may be found, only those that a test makes.
    String script = Files.readString(Path.of("holdfast"));
    executable(
        root.resolve("holdfast"),
        script
            .replace("/usr/lib/jvm/*", directory + "/jvm/*")
            .replace("/usr/libexec/java_home", "/nonexistent/java_home"));
    for (String tool :
        List.of(
            "bash",
            "cat",
            "cp",
            "dirname",
            "env",
            "find",
            "grep",
            "head",
            "mkdir",
            "readlink",
            "rm",
            "sed",
            "sleep",
            "tail")) {
      executable(tools.resolve(tool), "#!/bin/sh\nexec " + find(tool) + " \"$@\"\n");
    }
  }

  @Test
  @DisplayName(
      "it starts the jar with the newest-enough JDK, in the user's directory, with the user's"
          + " words")
  void starts() throws Exception {
    jdk("jvm/old", "17.0.15");
    jdk("jvm/new", "25.0.1");
    haveJar();
    Path elsewhere = Files.createDirectories(directory.resolve("else where"));
    Path link = Files.createSymbolicLink(elsewhere.resolve("hf"), root.resolve("holdfast"));
    Outcome outcome = run(elsewhere, link, Map.of(), "enqueue", "--title", "two words");
    assertThat(outcome.stderr()).isEmpty();
    assertThat(outcome.stdout())
        .startsWith("new in " + elsewhere + ", C.UTF-8:")
        .endsWith("[-jar][" + jar + "][enqueue][--title][two words]\n");
    assertThat(outcome.exit()).isEqualTo(7);
  }

  @Test
  @DisplayName("it is found by a relative path whatever CDPATH says, installed too")
  void withCdpath() throws Exception {
    jdk("jvm/new", "25");
    haveJar();
    Map<String, String> environment = Map.of("CDPATH", ".:" + tools);
    for (Path each : List.of(root.resolve("holdfast"), installed())) {
      Path typed = directory.relativize(each);
      Outcome outcome = run(directory, typed, environment, "list");
      assertThat(outcome.exit()).as("%s", outcome).isEqualTo(7);
      assertThat(outcome.stdout()).contains("[-jar][" + directory + "/").endsWith("[list]\n");
    }
  }

  @Test
  @DisplayName("a garbage collector of the user's own is the only one that Java is told of")
  void anotherCollector() throws Exception {
    jdk("jvm/new", "25");
    haveJar();
    for (Path each : List.of(root.resolve("holdfast"), installed())) {
      assertThat(run(root, each, Map.of(), "list").stdout()).contains("[-XX:+UseSerialGC]");
      for (String variable : List.of("HOLDFAST_JAVA_OPTS", "JDK_JAVA_OPTIONS")) {
        Map<String, String> environment = Map.of(variable, "-Xmx1g -XX:+UseZGC");
        assertThat(run(root, each, environment, "worker").stdout()).doesNotContain("UseSerialGC");
        assertThat(run(root, each, environment, "list").stdout()).doesNotContain("UseSerialGC");
      }
    }
  }

  @Test
  @DisplayName(
      "Java is told to stay where it is: else it leaves a directory that its user cannot read")
  void staysWhereItIs() throws Exception {
    jdk("jvm/new", "25");
    haveJar();
    for (Path each : List.of(root.resolve("holdfast"), installed())) {
      assertThat(run(root, each, Map.of(), "list").stdout()).contains("[-XX:-UsePerfData]");
    }
  }

  @Test
  @DisplayName("JAVA_HOME comes first, unless it is too old")
  void prefersJavaHome() throws Exception {
    jdk("jvm/found", "25");
    Path old = jdk("old", "21.0.2");
    Path mine = jdk("mine", "26");
    haveJar();
    assertThat(start(Map.of("JAVA_HOME", mine.toString()), "list").stdout()).startsWith("mine in");
    assertThat(start(Map.of("JAVA_HOME", old.toString()), "list").stdout()).startsWith("found in");
  }

  @Test
  @DisplayName("a JDK of SDKMAN is found, and HOLDFAST_JAVA_OPTS reaches it")
  void sdkman() throws Exception {
    jdk("sdk/candidates/java/25-tem", "25.0.1");
    haveJar();
    Outcome outcome =
        start(
            Map.of(
                "SDKMAN_DIR",
                directory.resolve("sdk").toString(),
                "HOLDFAST_JAVA_OPTS",
                "-Xmx64m -Dx=y"),
            "worker");
    assertThat(outcome.stdout()).startsWith("25-tem in").contains("[-Xmx64m][-Dx=y][-jar]");
  }

  @Test
  @DisplayName("a locale that knows more than ASCII is the user's own choice")
  void keepsLocale() throws Exception {
    jdk("jvm/new", "25");
    haveJar();
    installedLocales();
    assertThat(start(Map.of("LANG", "tr_TR.UTF-8"), "list").stdout()).contains(", tr_TR.UTF-8:");
    assertThat(start(Map.of("LANG", "de_DE"), "list").stdout()).contains(", de_DE:");
    assertThat(start(Map.of("LC_ALL", "POSIX"), "list").stdout()).contains(", C.UTF-8:");
  }

  @Test
  @DisplayName("a locale that is named but not installed is no better than C")
  void replacesUnknownLocale() throws Exception {
    jdk("jvm/new", "25");
    haveJar();
    assertThat(start(Map.of("LANG", "tr_TR.UTF-8"), "list").stdout()).contains(", C.UTF-8:");
    installedLocales();
    assertThat(start(Map.of("LANG", "fr_FR.UTF-8"), "list").stdout()).contains(", C.UTF-8:");
    assertThat(start(Map.of("LC_CTYPE", "UTF-8"), "list").stdout()).contains(", C.UTF-8:");
  }

  @Test
  @DisplayName("the installed program chooses its locale in the same way")
  void installedProgram() throws Exception {
    Path installed = installed();
    installedLocales();
    for (List<String> each :
        List.of(
            List.of("tr_TR.UTF-8", "tr_TR.UTF-8"),
            List.of("fr_FR.UTF-8", "C.UTF-8"),
            List.of("C", "C.UTF-8"))) {
      Outcome outcome = run(root, installed, Map.of("LANG", each.getFirst()), "list");
      assertThat(outcome.stdout()).as("%s", outcome).contains(", " + each.getLast() + ":");
    }
  }

  @Test
  @DisplayName("a worker behind options of all commands is started as a worker, installed too")
  void optionsFirst() throws Exception {
    jdk("jvm/new", "25");
    haveJar();
    for (Path each : List.of(root.resolve("holdfast"), installed())) {
      for (List<String> words :
          List.of(
              List.of("worker"),
              List.of("-v", "worker"),
              List.of("--config=list", "worker"),
              List.of("--config", "list", "--color", "never", "worker"))) {
        assertThat(run(root, each, Map.of(), words.toArray(String[]::new)).stdout())
            .contains("[-XX:+ExitOnOutOfMemoryError]")
            .doesNotContain("TieredStopAtLevel");
      }
      assertThat(run(root, each, Map.of(), "-v", "list", "--text", "worker").stdout())
          .contains("TieredStopAtLevel");
      assertThat(run(root, each, Map.of()).stdout()).contains("TieredStopAtLevel");
    }
  }

  @Test
  @DisplayName("a demo is told how it was called: by its name, where that is enough")
  void demoKnowsItsName() throws Exception {
    jdk("jvm/new", "25");
    haveJar();
    Path typed = root.resolve("holdfast");
    assertThat(start(Map.of(), "demo").stdout()).contains("[-Dholdfast.called=" + typed + "]");
    Path found = Files.createSymbolicLink(tools.resolve("holdfast"), typed);
    assertThat(run(root, found, Map.of(), "demo").stdout())
        .contains("[-Dholdfast.called=holdfast]");
    assertThat(start(Map.of(), "demo").stdout()).contains("[-Dholdfast.called=" + typed + "]");
    Path installed = installed();
    assertThat(run(root, installed, Map.of(), "demo").stdout())
        .contains("[-Dholdfast.called=" + installed + "]");
    Files.delete(found);
    Files.createSymbolicLink(found, installed);
    assertThat(run(root, found, Map.of(), "demo").stdout())
        .contains("[-Dholdfast.called=holdfast]");
  }

  @Test
  @DisplayName("without a JDK it says what to install")
  void noJdk() throws Exception {
    jdk("jvm/old", "17.0.15");
    haveJar();
    Outcome outcome = start(Map.of(), "list");
    assertThat(outcome.exit()).isEqualTo(1);
    assertThat(outcome.stdout()).isEmpty();
    assertThat(outcome.stderr())
        .isEqualToNormalizingNewlines(
            "holdfast: no JDK 25 or newer found in JAVA_HOME, PATH, /usr/lib/jvm or SDKMAN;"
                + " install one (apt-get install openjdk-25-jdk, sdk install java 25-tem, or"
                + " https://adoptium.net) or point JAVA_HOME at it\n");
  }

  @Test
  @DisplayName("a jar whose build was ended in the middle is built anew, though it is new")
  void cutOff() throws Exception {
    jdk("jvm/new", "25");
    maven("echo built >>target/calls; cp whole.jar target/holdfast.jar");
    Files.createDirectories(jar.resolveSibling(""));
    for (String left : List.of("", "PK\3\4 and what comes behind it, but no end")) {
      Files.writeString(jar, left);
      assertThat(start(Map.of(), "list").stdout()).contains("[-jar]");
    }
    assertThat(root.resolve("target/calls")).hasContent("built\nbuilt");
    assertThat(start(Map.of(), "list").stderr()).isEmpty();
    assertThat(root.resolve("target/calls")).hasContent("built\nbuilt");
  }

  @Test
  @DisplayName("it builds when the jar is missing or older than a source, and only then")
  void buildsWhenStale() throws Exception {
    jdk("jvm/new", "25");
    maven("mkdir -p target; echo built >>target/calls; cp whole.jar target/holdfast.jar");
    assertThat(start(Map.of(), "list").stderr()).contains("building " + jar).hasLineCount(1);
    assertThat(start(Map.of(), "list").stderr()).isEmpty();
    FileTime before = FileTime.fromMillis(Files.getLastModifiedTime(jar).toMillis() - 60_000);
    Files.setLastModifiedTime(jar, before);
    assertThat(start(Map.of(), "list").stderr()).contains("building " + jar);
    assertThat(root.resolve("target/calls")).hasContent("built\nbuilt");
    assertThat(root.resolve("target/.launcher-lock")).doesNotExist();
  }

  @Test
  @DisplayName(
      "22.10: on a terminal a first build tells what it has fetched, how fast and the time left")
  void progressOfTheFirst() throws Exception {
    maven(
        """
        for n in 1 2 3; do echo "[INFO] Downloaded from central: https://a/$n.pom (1 kB at 1 kB/s)"; done
        until [ -e seen ]; do sleep 0.1; done
        mkdir -p target; cp whole.jar target/holdfast.jar
        """);
    assertThat(progressOnTerminal())
        .containsPattern("building for \\d+ s, 3 files fetched, [123] a second, about \\d+ s left");
  }

  @Test
  @DisplayName("22.10: on a terminal a later build tells the time left by the last one's")
  void progressOfLater() throws Exception {
    maven(
        "until [ -e seen ]; do sleep 0.1; done; mkdir -p target; cp whole.jar target/holdfast.jar");
    Files.createDirectories(jar.getParent());
    Files.writeString(jar.resolveSibling("build-seconds"), "1000\n");
    assertThat(progressOnTerminal()).containsPattern("building for \\d+ s, about 9\\d\\d s left");
  }

  /** The build goes on once it has told how far it is. */
  private String progressOnTerminal() throws Exception {
    jdk("jvm/new", "25");
    Path terminal = Path.of("/usr/bin/script");
    assumeTrue(Files.isExecutable(terminal), "script is missing: install util-linux");
    ProcessBuilder builder =
        new ProcessBuilder(
                terminal.toString(),
                "-qfec",
                "'" + root.resolve("holdfast") + "' list",
                "/dev/null")
            .directory(root.toFile())
            .redirectErrorStream(true);
    builder.environment().clear();
    builder.environment().put("PATH", tools.toString());
    builder.environment().put("HOME", directory.toString());
    builder.environment().put("SHELL", find("sh").toString());
    Process process = builder.start();
    process.getOutputStream().close();
    StringBuilder said = new StringBuilder();
    try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
      for (int c = out.read(); c >= 0; c = out.read()) {
        said.append((char) c);
        if (said.toString().endsWith(" left")) {
          Files.writeString(root.resolve("seen"), "");
        }
      }
    }
    assertThat(said).contains("new in");
    return said.toString();
  }

  @Test
  @DisplayName(
      "a JAVA_HOME that leads nowhere, as after an update of Java, is none to Maven either")
  void goneJavaHome() throws Exception {
    jdk("jvm/new", "25");
    maven("[ -x \"$JAVA_HOME/bin/java\" ] || exit 1; cp whole.jar target/holdfast.jar");
    Outcome outcome = start(Map.of("JAVA_HOME", directory + "/gone"), "list");
    assertThat(outcome.stdout()).as("%s", outcome).startsWith("new in");
  }

  @Test
  @DisplayName("where the network is away, it builds from what Maven has already")
  void buildsOffline() throws Exception {
    jdk("jvm/new", "25");
    maven(
        """
        case "$*" in
          *" -o "*) mkdir -p target; cp whole.jar target/holdfast.jar ;;
          *) echo "Could not transfer artifact x from central: Unknown host"; exit 1 ;;
        esac
        """);
    assertThat(start(Map.of(), "list").stdout()).startsWith("new in");
  }

  @Test
  @DisplayName("a failed build shows its end and what to try")
  void failedBuild() throws Exception {
    jdk("jvm/new", "25");
    maven("echo '[ERROR] no such thing'; exit 1");
    Outcome outcome = start(Map.of(), "list");
    assertThat(outcome.exit()).isEqualTo(1);
    assertThat(outcome.stdout()).isEmpty();
    assertThat(outcome.stderr())
        .contains("[ERROR] no such thing")
        .contains("the build failed, see " + root.resolve("target/launcher-build.log"));
    assertThat(root.resolve("target/.launcher-lock")).doesNotExist();
  }

  @Test
  @DisplayName("without Maven a stale jar still runs, with a word of warning; a missing one cannot")
  void noMaven() throws Exception {
    jdk("jvm/new", "25");
    Outcome missing = start(Map.of(), "list");
    assertThat(missing.exit()).isEqualTo(1);
    assertThat(missing.stderr()).contains("Maven is needed once").contains("apt-get install maven");
    haveJar();
    Files.setLastModifiedTime(jar, FileTime.fromMillis(0));
    Outcome stale = start(Map.of(), "list");
    assertThat(stale.stdout()).startsWith("new in");
    assertThat(stale.stderr()).contains("stays older than the sources");
  }

  @Test
  @DisplayName(
      "the file for quick starts of commands, or of servers, is used while it fits; Java has one"
          + " such file at a time")
  void quickStarts() throws Exception {
    jdk("jvm/new", "25");
    haveJar();
    assertThat(start(Map.of(), "list").stdout()).doesNotContain("AOTCache");
    Path cache = Files.writeString(root.resolve("target/commands.aot"), "");
    Path servers = Files.writeString(root.resolve("target/holdfast.aot"), "");
    for (Path each : List.of(cache, servers)) {
      Files.setLastModifiedTime(
          each, FileTime.fromMillis(Files.getLastModifiedTime(jar).toMillis() + 1_000));
    }
    assertThat(start(Map.of(), "list").stdout()).contains("[-XX:AOTCache=" + cache + "]");
    assertThat(start(Map.of(), "worker").stdout()).contains("[-XX:AOTCache=" + servers + "]");
    assertThat(start(Map.of("HOLDFAST_JAVA_OPTS", "-Xshare:auto"), "list").stdout())
        .doesNotContain("AOTCache");
    Files.setLastModifiedTime(cache, FileTime.fromMillis(0));
    assertThat(start(Map.of(), "list").stdout()).doesNotContain("AOTCache");
  }

  @Test
  @DisplayName("without Maven the wrapper builds")
  void wrapper() throws Exception {
    jdk("jvm/new", "25");
    executable(
        root.resolve("mvnw"),
        "#!/bin/bash\n"
            + "mkdir -p target; echo wrapped >target/calls; cp whole.jar target/holdfast.jar\n");
    assertThat(start(Map.of(), "list").stdout()).startsWith("new in");
    assertThat(root.resolve("target/calls")).hasContent("wrapped");
  }

  @Test
  @DisplayName("the lock of a build that was killed is no obstacle")
  void staleLock() throws Exception {
    jdk("jvm/new", "25");
    maven("cp whole.jar target/holdfast.jar");
    Path lock = Files.createDirectories(root.resolve("target/.launcher-lock"));
    Process gone = new ProcessBuilder("true").start();
    gone.waitFor();
    Files.writeString(lock.resolve("pid"), Long.toString(gone.pid()));
    assertThat(start(Map.of(), "list").stdout()).startsWith("new in");
  }

  private Outcome start(Map<String, String> environment, String... words) throws Exception {
    return run(root, root.resolve("holdfast"), environment, words);
  }

  private Outcome run(Path where, Path script, Map<String, String> environment, String... words)
      throws Exception {
    Path stdout = directory.resolve("stdout");
    Path stderr = directory.resolve("stderr");
    List<String> command = new ArrayList<>(List.of(script.toString()));
    command.addAll(List.of(words));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(where.toFile())
            .redirectOutput(stdout.toFile())
            .redirectError(stderr.toFile());
    builder.environment().clear();
    builder.environment().put("PATH", tools.toString());
    builder.environment().put("HOME", directory.toString());
    builder.environment().putAll(environment);
    int exit = builder.start().waitFor();
    return new Outcome(exit, Files.readString(stdout), Files.readString(stderr));
  }

  private Path jdk(String name, String version) throws IOException {
    Path home = directory.resolve(name);
    Files.createDirectories(home.resolve("bin"));
    Files.writeString(home.resolve("release"), "JAVA_VERSION=\"" + version + "\"\n");
    executable(
        home.resolve("bin/java"),
        """
        #!/bin/bash
        printf '%s in %s, %s:' NAME "$PWD" "${LC_ALL:-${LC_CTYPE:-$LANG}}"
        printf '[%s]' "$@"
        echo
        exit 7
        """
            .replace("NAME", home.getFileName().toString()));
    return home;
  }

  /** Without it the tool that knows the installed locales is missing, as in small images. */
  private void installedLocales() throws IOException {
    executable(
        tools.resolve("locale"),
        """
        #!/bin/bash
        [ "$*" = charmap ] || exit 1
        case ${LC_ALL:-${LC_CTYPE:-${LANG:-}}} in
          tr_TR.UTF-8) echo UTF-8 ;;
          de_DE) echo ISO-8859-1 ;;
          *) echo "locale: Cannot set LC_CTYPE to default locale" >&2; echo ANSI_X3.4-1968 ;;
        esac
        """);
  }

  private void maven(String body) throws IOException {
    executable(tools.resolve("mvn"), "#!/bin/bash\n" + body + "\n");
  }

  private Path installed() throws IOException {
    Path installed =
        Files.createDirectories(directory.resolve("installed/bin")).resolve("holdfast");
    executable(installed, Files.readString(Path.of("src/etc/installed-launcher.sh")));
    jdk("installed/runtime", "25");
    return installed;
  }

  private void haveJar() throws IOException {
    Files.createDirectories(jar.resolveSibling(""));
    Files.copy(root.resolve("whole.jar"), jar);
  }

  private static void executable(Path file, String text) throws IOException {
    Files.writeString(file, text, StandardCharsets.UTF_8);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private static Path find(String tool) {
    return List.of(Path.of("/bin", tool), Path.of("/usr/bin", tool)).stream()
        .filter(Files::isExecutable)
        .findFirst()
        .orElseThrow();
  }
}
