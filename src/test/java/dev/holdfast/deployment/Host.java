package dev.holdfast.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.config.ConfigLoader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Types what installs Holdfast on a machine, below a directory in the place of the machine's root.
 */
final class Host {
  private static final Path UNIT = Path.of("deploy/holdfast.service");
  private static final Pattern PROPERTY = Pattern.compile("-p (\\S+)");
  private static final Pattern PLACE = Pattern.compile(" /(opt|usr|etc)\\b");
  private static final Pattern MODE = Pattern.compile("install -D -m 0(\\d+) \\S+ (\\S+)");
  private static final Pattern LINK = Pattern.compile("ln -s \\S+ (\\S+)");

  private final Path directory;
  private final Path root;

  Host(Path directory) {
    this.directory = directory;
    this.root = directory.resolve("root");
  }

  /** A tarball of the shape that the release's has, and the files of deploy beside it. */
  private void prepare() throws IOException, InterruptedException {
    for (String each : new String[] {"opt", "usr/local/bin", "usr/bin", "etc"}) {
      Files.createDirectories(root.resolve(each));
    }
    Path name = directory.resolve("holdfast-VERSION-linux-x64");
    assertThat(Files.readString(Path.of("pom.xml")))
        .contains("release/holdfast-${project.version}-${release.machine}.tar.gz")
        .contains("<release.machine>linux-x64</release.machine>");
    Path program = name.resolve("bin/holdfast");
    Files.createDirectories(program.getParent());
    Files.writeString(program, "#!/bin/sh\n");
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
    run("tar -czf " + name.getFileName() + ".tar.gz " + name.getFileName());
    Path unit = directory.resolve(UNIT);
    Files.createDirectories(unit.getParent());
    Files.copy(UNIT, unit, StandardCopyOption.REPLACE_EXISTING);
  }

  private void run(String command) throws IOException, InterruptedException {
    Checker.Verdict verdict = Checker.run("bash", "-c", "cd " + directory + " && " + command);
    assertThat(verdict.good()).as(command + "\n" + verdict.text()).isTrue();
  }

  void type(String command) throws IOException, InterruptedException {
    prepare();
    String here = PLACE.matcher(command).replaceAll(" " + root + "/$1");
    run(here);
    Matcher link = LINK.matcher(here);
    if (link.find()) {
      assertThat(Path.of(link.group(1))).isExecutable();
    }
    Matcher mode = MODE.matcher(here);
    if (mode.find()) {
      Path file = Path.of(mode.group(2));
      int said = Integer.parseInt(mode.group(1), 8);
      assertThat(Files.getAttribute(file, "unix:mode")).isEqualTo(0100000 | said);
      unit(command.replaceFirst("(?s)\\n.*", "").replaceFirst(".* (/\\S+)(?: <<.*)?$", "$1"), file);
    }
  }

  /** Where the unit, or systemd, looks for it, and with what Holdfast takes. */
  private static void unit(String place, Path file) throws IOException {
    String unit = Files.readString(UNIT);
    if (place.endsWith(".service")) {
      assertThat(file).hasSameTextualContentAs(UNIT);
      assertThat(place).isEqualTo("/etc/systemd/system/" + UNIT.getFileName());
      return;
    }
    assertThat(unit).contains(place, "AssertPathExists=" + place);
    if (place.endsWith(".env")) {
      Map<String, String> environment =
          Files.readAllLines(file).stream()
              .map(line -> line.split("=", 2))
              .collect(Collectors.toMap(each -> each[0], each -> each[1]));
      assertThat(
              new ConfigLoader(Path.of("/nowhere"), environment)
                  .load(null, Map.of())
                  .database()
                  .user())
          .isEqualTo("holdfast_app");
    }
  }

  /** The user that the unit names; the directory is the one that systemd makes. */
  void user(String command) throws IOException, InterruptedException {
    String unit = Files.readString(UNIT);
    String name = command.replaceFirst(".* ", "");
    assertThat(unit).contains("\nUser=" + name + "\n", "\nStateDirectory=" + name + "\n");
    assertThat(command).contains(" --home-dir /var/lib/" + name + " ");
    if (Checker.isInstalled("useradd")) {
      String help = Checker.run("useradd", "--help").text();
      assertThat(Pattern.compile("--[a-z-]+").matcher(command).results().map(MatchResult::group))
          .allSatisfy(each -> assertThat(help).contains(each));
    }
  }

  /** As the build names it, which as root really installs it: src/etc/release-check-deb.sh. */
  static void isPackage(String file) throws IOException {
    String pom = Files.readString(Path.of("pom.xml"));
    assertThat(file).isEqualTo("holdfast_VERSION_amd64.deb");
    assertThat(pom)
        .contains("release/holdfast_${project.version}_${deb.architecture}.deb")
        .contains("<deb.architecture>amd64</deb.architecture>");
    assertThat(Files.readString(Path.of("src/etc/release-check-deb.sh")))
        .contains("dpkg --force-depends --install");
  }

  static void systemctl(MatchResult parts) throws IOException, InterruptedException {
    String unit = parts.group(2);
    assertThat(parts.group(1).equals("daemon-reload")).isEqualTo(unit == null);
    if (unit != null) {
      assertThat(UNIT.getFileName().toString()).isEqualTo(unit + ".service");
      assertThat(Files.readString(UNIT)).contains("\nWantedBy=");
    }
    if (Checker.isInstalled("systemctl")) {
      assertThat(Checker.run("systemctl", "--help").text())
          .containsPattern("(?m)^ +" + parts.group(1) + "\\b");
    }
  }

  /**
   * A property stands in the unit as it does here; without systemd as process 1 it cannot be run.
   */
  static void systemdRun(MatchResult parts) throws IOException, InterruptedException {
    String unit = Files.readString(UNIT);
    String options = parts.group(1);
    assertThat(PROPERTY.matcher(options).results().map(each -> each.group(1)))
        .isNotEmpty()
        .allSatisfy(each -> assertThat(unit).contains("\n" + each + "\n"));
    if (Checker.isInstalled("systemd-run")) {
      String help = Checker.run("systemd-run", "--help").text();
      assertThat(Pattern.compile("--[a-z-]+").matcher(options).results().map(MatchResult::group))
          .allSatisfy(each -> assertThat(help).contains(each));
    }
  }

  static void probe(String path) throws IOException {
    Map<String, String> none = Map.of();
    assertThat(new ConfigLoader(Path.of("/nowhere"), none).load(null, none).web().port())
        .isEqualTo(8080);
    assertThat(Files.readString(Path.of("docker-compose.yml"))).contains("GET " + path + " HTTP");
  }
}
