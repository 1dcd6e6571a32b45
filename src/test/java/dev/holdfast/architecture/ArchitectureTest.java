package dev.holdfast.architecture;

import static com.tngtech.archunit.core.importer.ImportOption.Predefined.DO_NOT_INCLUDE_TESTS;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ArchitectureTest {
  private static final String BASE = "dev.holdfast";

  private static final JavaClasses MAIN =
      new ClassFileImporter().withImportOption(DO_NOT_INCLUDE_TESTS).importPackages(BASE);

  private final ArchitectureRules rules = new ArchitectureRules(BASE);

  @Test
  @DisplayName("packages import only what the table allows")
  void imports() {
    check(rules.imports());
  }

  @Test
  @DisplayName("every package has its line in the table")
  void everyPackageIsInTheTable() {
    Set<String> known = new TreeSet<>(ArchitectureRules.IMPORTS.keySet());
    known.addAll(ArchitectureRules.TOP);
    Set<String> found =
        MAIN.stream()
            .map(type -> type.getPackageName().substring(BASE.length()))
            .filter(name -> !name.isEmpty())
            .map(name -> name.substring(1).replaceFirst("\\..*", ""))
            .collect(Collectors.toSet());
    assertThat(known).containsAll(found);
  }

  @Test
  @DisplayName("each library stays in its own package")
  void libraries() {
    check(rules.libraries());
  }

  @Test
  @DisplayName("packages have no cycles")
  void noCycles() {
    rules.noCycles().check(MAIN);
  }

  @Test
  @DisplayName("only app and cli read the wall clock, sleep, make threads or end the JVM")
  void clockAndExit() {
    rules.clockAndExit().check(MAIN);
  }

  @Test
  @DisplayName("names and packages say what a thing is for")
  void names() {
    check(List.of(rules.names(), rules.packages()));
  }

  @Test
  @DisplayName("there are no public or reassignable static fields")
  void fields() {
    check(List.of(rules.noPublicFields(), rules.noMutableStatics()));
  }

  @Test
  @DisplayName("the pure packages have no open classes")
  void closedTypes() {
    rules.closedTypes().check(MAIN);
  }

  @Test
  @DisplayName("every package is @NullMarked, of tests as well")
  void nullMarked() {
    rules
        .nullMarked()
        .check(
            new ClassFileImporter()
                .withImportOption(location -> !location.contains("/architecture/broken/"))
                .importPackages(BASE));
  }

  private void check(List<ArchRule> all) {
    all.forEach(rule -> rule.check(MAIN));
  }
}
