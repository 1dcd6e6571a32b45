package dev.holdfast.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitCallTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import dev.holdfast.retry.Sleeper;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;

/**
 * The rules, for any base package, so that they can be shown code which breaks them.
 *
 * @param base {@code dev.holdfast} for the real ones
 */
record ArchitectureRules(String base) {
  /**
   * Who may import whom; a package that is missing here may not exist. {@code cli} and {@code app}
   * may import all. What is not plain from the layers has its reason in docs/adr/0009.
   */
  static final Map<String, Set<String>> IMPORTS =
      Map.ofEntries(
          Map.entry("ticket", Set.of()),
          Map.entry("process", Set.of()),
          Map.entry("schema", Set.of()),
          Map.entry("secret", Set.of()),
          Map.entry("failure", Set.of("ticket")),
          Map.entry("retry", Set.of("ticket", "failure")),
          Map.entry("queue", Set.of("ticket", "failure", "retry")),
          Map.entry("schedule", Set.of("ticket", "queue", "retry")),
          Map.entry("batch", Set.of("ticket", "failure", "queue", "retry")),
          Map.entry(
              "worker", Set.of("ticket", "schema", "secret", "failure", "retry", "queue", "batch")),
          Map.entry("workflow", Set.of("ticket", "schema", "failure", "retry", "queue", "worker")),
          Map.entry("limit", Set.of("queue", "retry")),
          Map.entry("llm", Set.of("failure", "retry")),
          Map.entry(
              "tool", Set.of("ticket", "process", "schema", "secret", "failure", "retry", "llm")),
          Map.entry("session", Set.of("schema", "failure", "retry", "llm", "tool")),
          Map.entry(
              "repair",
              Set.of("ticket", "process", "secret", "failure", "retry", "llm", "tool", "session")),
          Map.entry(
              "handler",
              Set.of(
                  "ticket",
                  "process",
                  "schema",
                  "secret",
                  "failure",
                  "retry",
                  "worker",
                  "llm",
                  "tool",
                  "session",
                  "repair",
                  "workflow")),
          Map.entry(
              "postgres",
              Set.of(
                  "ticket",
                  "process",
                  "schema",
                  "secret",
                  "failure",
                  "retry",
                  "queue",
                  "schedule",
                  "batch",
                  "workflow",
                  "limit",
                  "llm",
                  "tool",
                  "session",
                  "repair")),
          // the facade is "", as every program sees it
          Map.entry(
              "bench",
              Set.of(
                  "",
                  "ticket",
                  "failure",
                  "retry",
                  "queue",
                  "limit",
                  "worker",
                  "postgres",
                  "workflow")),
          Map.entry(
              "web",
              Set.of(
                  "ticket",
                  "schema",
                  "secret",
                  "failure",
                  "retry",
                  "queue",
                  "schedule",
                  "batch",
                  "limit",
                  "llm",
                  "tool",
                  "session")),
          Map.entry("telemetry", ports()),
          Map.entry(
              "config",
              Stream.concat(ports().stream(), Stream.of("schema", "secret", "handler"))
                  .collect(Collectors.toSet())));

  /** The packages that may see everything; nothing may see them. */
  static final Set<String> TOP = Set.of("app", "cli", "testing");

  /** A library and the only packages that may know it. */
  private static final Map<String, List<String>> LIBRARIES =
      Map.ofEntries(
          Map.entry("java.sql..", List.of("postgres")),
          Map.entry("org.jdbi..", List.of("postgres")),
          Map.entry("org.flywaydb..", List.of("postgres")),
          Map.entry("org.postgresql..", List.of("postgres")),
          Map.entry("com.zaxxer.hikari..", List.of("postgres")),
          Map.entry("javax.sql..", List.of("postgres", "bench", "app", "cli", "testing", "")),
          Map.entry("com.cronutils..", List.of("schedule")),
          Map.entry("dev.cel..", List.of("workflow")),
          Map.entry("com.openai..", List.of("llm.openai")),
          Map.entry("com.anthropic..", List.of("llm.anthropic")),
          Map.entry("io.modelcontextprotocol..", List.of("tool.mcp", "cli", "app")),
          Map.entry("io.javalin..", List.of("web")),
          Map.entry("io.micrometer..", List.of("telemetry", "app")),
          Map.entry("com.standardwebhooks..", List.of("web")),
          Map.entry("com.nimbusds..", List.of("web.oidc", "testing")),
          Map.entry("jakarta.mail..", List.of("web")),
          Map.entry("io.opentelemetry..", List.of("telemetry")),
          Map.entry("picocli..", List.of("cli", "app")));

  private static Set<String> ports() {
    return Set.of(
        "ticket", "failure", "retry", "queue", "worker", "llm", "tool", "session", "repair");
  }

  List<ArchRule> imports() {
    List<ArchRule> rules = new ArrayList<>();
    IMPORTS.forEach((name, allowed) -> rules.add(imports(name, allowed)));
    return rules;
  }

  private ArchRule imports(String name, Set<String> allowed) {
    List<String> known = new ArrayList<>(List.of(family(name)));
    allowed.forEach(other -> known.add(family(other)));
    return noClasses()
        .that()
        .resideInAPackage(family(name))
        .should()
        .dependOnClassesThat(
            resideInAPackage(base + "..")
                .and(not(resideInAnyPackage(known.toArray(String[]::new)))))
        .as(name + " imports of ours only " + allowed)
        .allowEmptyShould(true);
  }

  List<ArchRule> libraries() {
    List<ArchRule> rules = new ArrayList<>();
    LIBRARIES.forEach((library, users) -> rules.add(library(library, users)));
    return rules;
  }

  private ArchRule library(String library, List<String> users) {
    return noClasses()
        .that()
        .resideInAPackage(base + "..")
        .and()
        .resideOutsideOfPackages(users.stream().map(this::family).toArray(String[]::new))
        .should()
        .dependOnClassesThat()
        .resideInAPackage(library)
        .as("only " + users + " touch " + library)
        .allowEmptyShould(true);
  }

  ArchRule noCycles() {
    return slices().matching(base + ".(*)..").should().beFreeOfCycles();
  }

  /** The packages of one family, its root among them. */
  ArchRule noCyclesWithin(String name) {
    return slices().assignedFrom(packagesOf(base + "." + name)).should().beFreeOfCycles();
  }

  private static SliceAssignment packagesOf(String root) {
    return new SliceAssignment() {
      @Override
      public SliceIdentifier getIdentifierOf(JavaClass type) {
        String name = type.getPackageName();
        return (name + ".").startsWith(root + ".")
            ? SliceIdentifier.of(name)
            : SliceIdentifier.ignore();
      }

      @Override
      public String getDescription() {
        return "packages of " + root;
      }
    };
  }

  /**
   * The clock is passed in, sleeping goes through {@link Sleeper}, and only {@code main} ends the
   * JVM.
   */
  ArchRule clockAndExit() {
    return noClasses()
        .that()
        .resideOutsideOfPackages(family("app"), family("cli"))
        .and()
        .doNotHaveSimpleName(Sleeper.class.getSimpleName())
        .and()
        // a main of its own, inside of a sandbox
        .doNotHaveSimpleName("ProxyRelay")
        .should()
        .callCodeUnitWhere(
            describe(
                "the target reads the clock, sleeps or ends the JVM",
                (JavaAccess<?> call) ->
                    call.getTarget() instanceof CodeUnitCallTarget target && isForbidden(target)))
        .as("nobody but app and cli reads the wall clock, sleeps, makes threads or ends the JVM");
  }

  private static boolean isForbidden(CodeUnitCallTarget target) {
    String name = target.getName();
    JavaClass owner = target.getOwner();
    boolean noArguments = target.getRawParameterTypes().isEmpty();
    if (owner.isEquivalentTo(System.class) || owner.isEquivalentTo(Runtime.class)) {
      return Set.of("currentTimeMillis", "exit", "halt").contains(name);
    }
    if (owner.isEquivalentTo(Thread.class)) {
      return Set.of("sleep", "<init>").contains(name);
    }
    if (owner.isEquivalentTo(TimeUnit.class)) {
      return name.equals("sleep");
    }
    if (owner.isEquivalentTo(Clock.class)) {
      return name.startsWith("system");
    }
    return owner.getPackageName().equals(Instant.class.getPackageName())
        && name.equals("now")
        && noArguments;
  }

  ArchRule names() {
    return noClasses()
        .should()
        .haveNameMatching(".*(Manager|Helper|Utils?|Impl)(\\$.*)?")
        .as("names say what a class is for, not that it is a Manager, Helper, Util or Impl");
  }

  ArchRule packages() {
    return noClasses()
        .should()
        .resideInAnyPackage(
            "..util..",
            "..utils..",
            "..common..",
            "..helper..",
            "..helpers..",
            "..manager..",
            "..impl..",
            "..misc..")
        .as("packages are named by what they are responsible for");
  }

  ArchRule noPublicFields() {
    return fields()
        .that()
        .arePublic()
        .should()
        .beStatic()
        .andShould()
        .beFinal()
        .as("only constants are public fields")
        .allowEmptyShould(true);
  }

  ArchRule noMutableStatics() {
    return noFields()
        .that()
        .areStatic()
        .should()
        .notBeFinal()
        .as("no static field can be assigned");
  }

  /** The pure packages have no open classes; exceptions are made to be extended. */
  ArchRule closedTypes() {
    return classes()
        .that()
        .resideInAnyPackage(family("ticket"), family("failure"), family("retry"))
        .and()
        .areNotInterfaces()
        .and()
        .areNotAnonymousClasses()
        .and()
        .areNotAssignableTo(Throwable.class)
        .and(not(describe("sealed", ArchitectureRules::isSealed)))
        .should()
        .haveModifier(JavaModifier.FINAL)
        .orShould()
        .beEnums()
        .as("classes of the pure packages are records, enums, sealed or final");
  }

  ArchRule nullMarked() {
    return classes()
        .should(
            new ArchCondition<>("be in a package whose package-info says @NullMarked") {
              @Override
              public void check(JavaClass item, ConditionEvents events) {
                boolean marked = item.getPackage().isAnnotatedWith(NullMarked.class);
                events.add(
                    new SimpleConditionEvent(
                        item, marked, item.getName() + " lacks a @NullMarked package-info.java"));
              }
            });
  }

  private static boolean isSealed(JavaClass type) {
    return type.reflect().isSealed();
  }

  private String family(String name) {
    return name.isEmpty() ? base : base + "." + name + "..";
  }
}
