package dev.holdfast.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaModifier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Rules with named exceptions, each with its reason: a new one has to be argued for here. */
class ExceptionsToRulesTest {
  private static final int MOST_COMPONENTS = 12;

  /** An attempt's boundary, a service loop, main; and where the language or a library forces it. */
  private static final Map<String, String> CATCH_ALL =
      Map.ofEntries(
          Map.entry("worker/ForeignFailure.java", "not even the log may take what others threw"),
          Map.entry("worker/TicketRun.java", "the boundary of an attempt"),
          Map.entry("tool/ToolCallRunner.java", "the boundary of a tool's call"),
          Map.entry("tool/ToolRetry.java", "throws it again: a tool's call, tried once more"),
          Map.entry("worker/ServiceLoop.java", "a service loop"),
          Map.entry("worker/Poller.java", "a service loop"),
          Map.entry("worker/Completer.java", "a service loop"),
          Map.entry(
              "worker/Events.java",
              "somebody's listener, undeclared exceptions of Kotlin and others"),
          Map.entry(
              "worker/Worker.java",
              "somebody's tracing, undeclared exceptions of Kotlin and others"),
          Map.entry("postgres/engine/PostgresWakeUps.java", "a service loop"),
          Map.entry(
              "postgres/OwnConnections.java",
              "somebody's data source, undeclared exceptions of Kotlin and others"),
          Map.entry("app/ProcessExit.java", "main, at its end"),
          Map.entry(
              "llm/wire/WireProvider.java", "a vendor's SDK in Kotlin: undeclared exceptions"),
          Map.entry("tool/ParallelToolBox.java", "AutoCloseable.close declares Exception"),
          Map.entry("process/NativeFunction.java", "MethodHandle.invokeExact declares Throwable"));

  private static final Map<String, String> WIDE_RECORDS =
      Map.ofEntries(
          Map.entry("TicketRow", "the columns of the view tickets, which its JSON shows"),
          Map.entry("TicketSummary", "the columns of the view tickets without the large ones"),
          Map.entry("TicketFilter", "the filters of a list, one for each parameter of its SQL"),
          Map.entry("AttemptRow", "the columns of the table ticket_attempts"),
          Map.entry("ToolCallRow", "the columns of the table tool_approvals"),
          Map.entry("ProviderStatus", "the columns of the view provider_status"),
          Map.entry("Schedule", "the columns of the table schedules"),
          Map.entry("Batch", "the columns of batch_progress, which its JSON shows"),
          Map.entry("Release", "the columns of release_status, which its JSON shows"),
          Map.entry("WebPorts", "the ports of API and console, passed once by the wiring"),
          Map.entry("NewTicket", "the parameters of enqueue_ticket, with a method for each"),
          Map.entry("Step", "the keys of a step in a design of kind workflow"),
          Map.entry("CreateRoute$Body", "the fields of POST /api/v1/tickets"),
          Map.entry("AgentDesign", "the keys of a design of kind agent"),
          Map.entry("Settings", "one component for each section of the configuration"),
          Map.entry("TicketPage", "the sections of a page, each made by its own class"));

  /** Where the flag is the value of a switch, and two methods would say no more. */
  private static final Map<String, String> FLAGS =
      Map.ofEntries(
          Map.entry("Session.setAutoRetryEnabled", "sets a switch"),
          Map.entry("AutoRetry.setEnabled", "sets a switch"),
          Map.entry("AutoRetrySettings.withEnabled", "sets a switch"),
          Map.entry("WorkerRegistry.wantsWakeUp", "sets a switch: a column of the worker's row"),
          Map.entry("PostgresWorkerRegistry.wantsWakeUp", "sets a switch, as its port says"),
          Map.entry("Servers.worker", "--console, as it was given"),
          Map.entry("Servers.demo", "--exit-when-done, as it was given"),
          Map.entry("OutputSource.since", "whether the program has ended: state, not a mode"),
          Map.entry("OutputTail.since", "whether the program has ended: state, not a mode"));

  private static final Path SOURCES = Path.of("src/main/java/dev/holdfast");
  private static final Pattern CAUGHT = Pattern.compile("catch \\((Exception|Throwable) ");
  private static final JavaClasses MAIN = MainClasses.ALL;

  @Test
  @DisplayName("Exception and Throwable are caught only where a reason is given")
  void catchAll() throws IOException {
    try (Stream<Path> files = Files.walk(SOURCES)) {
      Set<String> found = new TreeSet<>();
      for (Path each : files.filter(file -> file.toString().endsWith(".java")).toList()) {
        if (CAUGHT.matcher(Files.readString(each)).find()) {
          found.add(SOURCES.relativize(each).toString());
        }
      }
      assertThat(found).isEqualTo(new TreeSet<>(CATCH_ALL.keySet()));
    }
  }

  @Test
  @DisplayName("records have at most 12 components, or a reason is given")
  void wideRecords() {
    Set<String> found =
        MAIN.stream()
            .filter(JavaClass::isRecord)
            .filter(ExceptionsToRulesTest::isWide)
            .map(type -> type.getName().substring(type.getPackageName().length() + 1))
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(found).isEqualTo(new TreeSet<>(WIDE_RECORDS.keySet()));
  }

  private static boolean isWide(JavaClass type) {
    return type.getFields().stream()
            .filter(field -> !field.getModifiers().contains(JavaModifier.STATIC))
            .count()
        > MOST_COMPONENTS;
  }

  @Test
  @DisplayName("public methods have no boolean parameter, or a reason is given")
  void flags() {
    Set<String> found =
        MAIN.stream()
            .filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC))
            .flatMap(type -> type.getCodeUnits().stream())
            .filter(ExceptionsToRulesTest::hasFlag)
            .map(unit -> unit.getOwner().getSimpleName() + "." + unit.getName())
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(found).isEqualTo(new TreeSet<>(FLAGS.keySet()));
  }

  private static boolean hasFlag(JavaCodeUnit unit) {
    boolean isComponents = unit.isConstructor() && unit.getOwner().isRecord();
    List<JavaClass> parameters = unit.getRawParameterTypes();
    return !isComponents
        && unit.getModifiers().contains(JavaModifier.PUBLIC)
        && !unit.getModifiers().contains(JavaModifier.SYNTHETIC)
        && parameters.stream().anyMatch(type -> type.isEquivalentTo(boolean.class));
  }
}
