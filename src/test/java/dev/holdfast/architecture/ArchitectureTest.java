package dev.holdfast.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaFieldAccess;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.Source;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import dev.holdfast.config.Key;
import dev.holdfast.config.KeyType;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ArchitectureTest {
  private static final String BASE = MainClasses.BASE;

  private static final int MOST_FILES = 40;

  private static final String CONFIG = Key.class.getPackageName();

  private static final JavaClasses MAIN = MainClasses.ALL;

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
  @DisplayName("every key is read, and what is made of it is read by its consumer")
  void consumers() {
    List<JavaField> keys =
        MAIN.stream()
            .filter(type -> type.getPackageName().equals(CONFIG))
            .flatMap(type -> type.getFields().stream())
            .filter(field -> field.getRawType().isEquivalentTo(Key.class))
            .toList();
    List<JavaField> settings =
        MAIN.stream()
            .filter(ArchitectureTest::isOfSettings)
            .flatMap(type -> type.getFields().stream())
            .filter(field -> !field.getModifiers().contains(JavaModifier.STATIC))
            .toList();
    assertThat(keys).hasSizeGreaterThan(100);
    assertThat(settings).hasSizeGreaterThan(100);
    assertThat(keys)
        .as("nobody reads them: delete them")
        .allMatch(field -> field.getAccessesToSelf().stream().anyMatch(ArchitectureTest::isUse));
    assertThat(settings)
        .as("nobody reads them: delete them, and their keys")
        .allMatch(ArchitectureTest::isRead);
  }

  /** True for records that the configuration makes, wherever they are. */
  private static boolean isOfSettings(JavaClass type) {
    return type.isRecord()
        && !type.isEquivalentTo(Key.class)
        && !type.isAssignableTo(KeyType.class)
        && type.getConstructors().stream()
            .flatMap(each -> each.getAccessesToSelf().stream())
            .anyMatch(each -> each.getOriginOwner().getPackageName().equals(CONFIG));
  }

  /** By a method of the record that does more than to copy it, or through its accessor. */
  private static boolean isRead(JavaField field) {
    JavaMethod accessor = field.getOwner().getMethod(field.getName());
    return Stream.concat(
                field.getAccessesToSelf().stream()
                    .filter(each -> each.getAccessType() == JavaFieldAccess.AccessType.GET)
                    .map(JavaAccess::getOrigin)
                    .filter(by -> !by.equals(accessor)),
                accessor.getAccessesToSelf().stream().map(JavaAccess::getOrigin))
            .anyMatch(
                by -> !by.getOwner().equals(field.getOwner()) || !by.getName().startsWith("with"))
        || !accessor.getReferencesToSelf().isEmpty();
  }

  /** The lists of all keys are made where the keys are. */
  private static boolean isUse(JavaAccess<?> access) {
    return !access.getOrigin().getName().equals("<clinit>")
        && !access.getOrigin().getName().equals("all")
        && !access.getOrigin().getName().equals("<init>");
  }

  @Test
  @DisplayName("packages have no cycles")
  void noCycles() {
    rules.noCycles().check(MAIN);
  }

  @ParameterizedTest(name = "the packages of {0} have no cycles")
  @ValueSource(strings = {"cli", "postgres", "queue", "repair", "session", "web"})
  void noCyclesWithin(String family) {
    rules.noCyclesWithin(family).check(MAIN);
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
                .withImportOption(onePerPackage())
                .importPackages(BASE));
  }

  /** Any class tells of its package, and all of them with all tests would take long to read. */
  private static ImportOption onePerPackage() {
    Set<String> seen = new HashSet<>();
    return location ->
        location.contains("/package-info.class")
            || seen.add(location.asURI().resolve(".").toString());
  }

  @Test
  @DisplayName("a package has at most 40 files")
  void sizes() {
    assertThat(bigPackages()).isEmpty();
  }

  private static Set<String> bigPackages() {
    Map<String, Set<String>> files =
        MAIN.stream()
            .filter(type -> type.getSource().flatMap(Source::getFileName).isPresent())
            .collect(
                Collectors.groupingBy(
                    JavaClass::getPackageName,
                    Collectors.mapping(
                        type -> type.getSource().flatMap(Source::getFileName).orElseThrow(),
                        Collectors.toSet())));
    return files.entrySet().stream()
        .filter(each -> each.getValue().size() > MOST_FILES)
        .map(each -> each.getKey().substring(BASE.length() + 1))
        .collect(Collectors.toSet());
  }

  private void check(List<ArchRule> all) {
    all.forEach(rule -> rule.check(MAIN));
  }
}
