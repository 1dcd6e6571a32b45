package dev.holdfast.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Shows each rule a class that breaks it, for a rule that cannot fail guards nothing. */
class ArchitectureRulesTest {
  private static final String BROKEN = "dev.holdfast.architecture.broken";

  private final ArchitectureRules rules = new ArchitectureRules(BROKEN);
  private final JavaClasses broken = new ClassFileImporter().importPackages(BROKEN);

  @Test
  @DisplayName("an import against the table is seen")
  void imports() {
    assertThat(red(rules.imports()))
        .contains("ticket.TicketThatKnowsItsQueue")
        .contains("queue.QueueThatKnowsTheFacade")
        .doesNotContain("queue.AnyQueue ");
  }

  @Test
  @DisplayName("a library outside its package is seen")
  void libraries() {
    assertThat(red(rules.libraries())).contains("worker.Offender").contains("java.sql.Connection");
  }

  @Test
  @DisplayName("a cycle is seen")
  void noCycles() {
    assertThat(red(List.of(rules.noCycles()))).contains("Cycle detected");
    assertThat(red(List.of(rules.noCyclesWithin("session"))))
        .contains("Cycle detected")
        .contains("session.retry.RetryThatKnowsItsLoop");
    assertThat(red(List.of(rules.noCyclesWithin("ticket")))).isEmpty();
  }

  @Test
  @DisplayName("clock, sleep, thread and exit are seen, a passed clock is not")
  void clockAndExit() {
    assertThat(red(List.of(rules.clockAndExit())))
        .contains("Instant.now()")
        .contains("LocalDate.now()")
        .contains("System.currentTimeMillis()")
        .contains("Clock.systemUTC()")
        .contains("Thread.sleep(long)")
        .contains("TimeUnit.sleep(long)")
        .contains("Thread.<init>")
        .contains("System.exit(int)")
        .doesNotContain("Instant.now(java.time.Clock)");
  }

  @Test
  @DisplayName("a Manager and a package util are seen")
  void names() {
    assertThat(red(List.of(rules.names()))).contains("OffenceManager");
    assertThat(red(List.of(rules.packages()))).contains("util.Anything");
  }

  @Test
  @DisplayName("public and reassignable static fields are seen, constants are not")
  void fields() {
    assertThat(red(List.of(rules.noPublicFields())))
        .contains("worker.Offender.open")
        .doesNotContain("CONSTANT");
    assertThat(red(List.of(rules.noMutableStatics())))
        .contains("worker.Offender.mutable")
        .doesNotContain("CONSTANT");
  }

  @Test
  @DisplayName("an open class in a pure package is seen, a sealed one is not")
  void closedTypes() {
    assertThat(red(List.of(rules.closedTypes())))
        .contains("retry.OpenPolicy")
        .doesNotContain("retry.SealedPolicy");
  }

  @Test
  @DisplayName("a package without @NullMarked is seen")
  void nullMarked() {
    assertThat(red(List.of(rules.nullMarked()))).contains("util.Anything");
  }

  private String red(List<ArchRule> all) {
    return all.stream()
        .flatMap(rule -> rule.evaluate(broken).getFailureReport().getDetails().stream())
        .collect(Collectors.joining("\n"));
  }
}
