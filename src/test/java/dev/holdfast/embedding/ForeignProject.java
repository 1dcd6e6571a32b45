package dev.holdfast.embedding;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.holdfast.testing.JavaCommand;
import dev.holdfast.testing.Maven;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A project outside the repository that depends on what {@code mvn install} publishes. Maven finds
 * the published files in a local repository of the project's own, which refers to the build's for
 * all else, so nothing is downloaded. Closing removes these references. Used by one thread.
 */
final class ForeignProject implements AutoCloseable {
  private static final Path TARGET = Path.of("target").toAbsolutePath();
  private static final Path SOURCE = Path.of("src/test/resources/foreign").toAbsolutePath();
  private static final String DEPENDENCY_PLUGIN =
      "org.apache.maven.plugins:maven-dependency-plugin:3.11.0";

  private final Path directory;
  private final Path repository;
  private final List<Path> links = new ArrayList<>();

  /** Writes the project and its repository below an empty directory. */
  ForeignProject(Path directory) throws IOException {
    this(SOURCE, directory);
  }

  /**
   * As {@link #ForeignProject(Path)}, of another project.
   *
   * @param source is copied
   */
  ForeignProject(Path source, Path directory) throws IOException {
    this.directory = Files.createDirectories(directory.resolve("shop"));
    this.repository = Files.createDirectories(directory.resolve("repository"));
    Path jar = packagedJar();
    String version =
        jar.getFileName().toString().replaceFirst("holdfast-", "").replaceFirst(".jar$", "");
    copy(source, this.directory);
    Path pom = this.directory.resolve("pom.xml");
    Files.writeString(
        pom,
        Files.readString(pom)
            .replace("@version@", version)
            .replaceFirst(
                "<holdfast.version>.*</holdfast.version>",
                "<holdfast.version>" + version + "</holdfast.version>"));
    install(jar, version);
  }

  private static void copy(Path source, Path target) throws IOException {
    try (Stream<Path> all = Files.walk(source)) {
      for (Path each : all.filter(Files::isRegularFile).toList()) {
        Path to = target.resolve(source.relativize(each).toString());
        Files.createDirectories(to.getParent());
        Files.copy(each, to);
      }
    }
  }

  private void install(Path jar, String version) throws IOException {
    Path groups = Maven.repository();
    link(groups, repository, "dev");
    link(groups.resolve("dev"), repository.resolve("dev"), "holdfast");
    Path home = repository.resolve("dev/holdfast/holdfast").resolve(version);
    Files.createDirectories(home);
    Files.copy(jar, home.resolve("holdfast-" + version + ".jar"));
    Files.copy(TARGET.resolve("published-pom.xml"), home.resolve("holdfast-" + version + ".pom"));
  }

  private void link(Path from, Path to, String except) throws IOException {
    Files.createDirectories(to);
    if (Files.isDirectory(from)) {
      try (Stream<Path> children = Files.list(from)) {
        for (Path child : children.filter(c -> !c.endsWith(except)).toList()) {
          links.add(Files.createSymbolicLink(to.resolve(child.getFileName()), child));
        }
      }
    }
  }

  private static Path packagedJar() throws IOException {
    try (Stream<Path> files = Files.list(TARGET)) {
      return files
          .filter(f -> f.getFileName().toString().matches("holdfast-[0-9].*\\.jar"))
          .findFirst()
          .orElseThrow(
              () -> new AssertionError("no jar in " + TARGET + "; run: mvn -DskipTests package"));
    }
  }

  /** What Maven puts on the project's runtime class path, besides its own classes. */
  List<Path> libraries() throws IOException, InterruptedException {
    Path list = directory.resolve("class-path");
    Maven.run(
        directory,
        repository,
        "-o",
        DEPENDENCY_PLUGIN + ":build-classpath",
        "-DincludeScope=runtime",
        "-Dmdep.outputFile=" + list);
    return Arrays.stream(Files.readString(list).strip().split(":")).map(Path::of).toList();
  }

  /** Runs its tests; the report of one class. */
  String test(String className) throws IOException, InterruptedException {
    String options = String.join(" ", JavaCommand.SHORT_LIVED);
    Maven.run(directory, repository, "-o", "test", "-DargLine=" + options);
    return Files.readString(
        directory.resolve("target/surefire-reports").resolve(className + ".txt"), UTF_8);
  }

  /** Compiles and runs it with all on the class path; what it printed. */
  String runOnClassPath(List<Path> libraries, String... arguments)
      throws IOException, InterruptedException {
    Path classes = directory.resolve("classes");
    String path = joined(libraries);
    run(JavaCommand.javac("-d", classes.toString(), "-cp", path, source("shop/Shop.java")));
    return run(JavaCommand.java("-cp", classes + ":" + path, "shop.Shop"), arguments);
  }

  /** Compiles and runs it as a module, with all on the module path; what it printed. */
  String runOnModulePath(List<Path> libraries, String... arguments)
      throws IOException, InterruptedException {
    Path classes = directory.resolve("modules");
    String path = joined(libraries);
    run(
        JavaCommand.javac(
            "-d",
            classes.toString(),
            "-p",
            path,
            source("module-info.java"),
            source("shop/Shop.java")));
    return run(
        JavaCommand.java(
            "--add-modules", "ALL-MODULE-PATH", "-p", classes + ":" + path, "-m", "shop/shop.Shop"),
        arguments);
  }

  private static String source(String file) {
    return SOURCE.resolve("src/main/java").resolve(file).toString();
  }

  private static String joined(List<Path> paths) {
    return String.join(":", paths.stream().map(Path::toString).toList());
  }

  private String run(List<String> program, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(program);
    command.addAll(List.of(arguments));
    Path output = directory.resolve("output");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    Process process = builder.start();
    boolean ended = process.waitFor(5, TimeUnit.MINUTES);
    process.destroyForcibly();
    String printed = Files.readString(output, UTF_8);
    if (!ended || process.exitValue() != 0) {
      throw new AssertionError(String.join(" ", command) + "\n" + printed);
    }
    return printed;
  }

  @Override
  public void close() throws IOException {
    for (Path link : links) {
      Files.delete(link);
    }
  }
}
