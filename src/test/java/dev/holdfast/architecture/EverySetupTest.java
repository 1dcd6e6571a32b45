package dev.holdfast.architecture;

import static com.tngtech.archunit.core.importer.ImportOption.Predefined.ONLY_INCLUDE_TESTS;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Which tests run a second time, on the oldest PostgreSQL and in another language. */
class EverySetupTest {
  private static final String BASE = "dev.holdfast.";

  /** What these do is mostly text and time. */
  private static final Set<String> TEXT_AND_TIME =
      Set.of("ticket", "queue", "failure", "retry", "config", "cli", "telemetry");

  /** Whole programs: the same statements run in the tests of the packages that hold them. */
  private static final Set<String> WHOLE =
      Set.of("app", "architecture", "bench", "chaos", "e2e", "embedding", "testing");

  @Test
  @DisplayName("tests of SQL, text and time have @EverySetup; those with @Tag(\"slow\") need not")
  void tagged() {
    List<String> missing =
        new ClassFileImporter()
            .withImportOption(ONLY_INCLUDE_TESTS).importPackages("dev.holdfast").stream()
                .filter(type -> type.isTopLevelClass() && isTest(type) && mustRunTwice(type))
                .filter(type -> !type.isAnnotatedWith(EverySetup.class))
                .filter(type -> !type.isAnnotatedWith(Tag.class))
                .map(JavaClass::getName)
                .toList();
    assertThat(missing).isEmpty();
  }

  private static boolean isTest(JavaClass type) {
    return type.getSimpleName().endsWith("Test") || type.getSimpleName().endsWith("IT");
  }

  private static boolean mustRunTwice(JavaClass type) {
    String area = type.getPackageName().substring(BASE.length()).replaceFirst("\\..*", "");
    return TEXT_AND_TIME.contains(area) || (!WHOLE.contains(area) && usesDatabase(type));
  }

  private static boolean usesDatabase(JavaClass type) {
    return type.getDirectDependenciesFromSelf().stream()
        .anyMatch(each -> each.getTargetClass().isEquivalentTo(TestDatabase.class));
  }
}
