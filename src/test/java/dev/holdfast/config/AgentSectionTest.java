package dev.holdfast.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.llm.CallRetryOptions;
import dev.holdfast.llm.Prices;
import dev.holdfast.llm.ProviderSettings;
import dev.holdfast.repair.RepairSettings.Candidates;
import dev.holdfast.repair.RepairSettings.Diagnosis;
import dev.holdfast.repair.RepairSettings.Escalation;
import dev.holdfast.repair.RepairSettings.Limits;
import dev.holdfast.session.LoopSettings;
import dev.holdfast.session.retry.AutoRetrySettings;
import dev.holdfast.tool.ToolSettings;
import dev.holdfast.tool.sandbox.SandboxMode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What agents and repairs get of the configuration. */
class AgentSectionTest {
  private static Settings settings(Map<String, String> flags) {
    return new ConfigLoader(Path.of("nowhere"), Map.of()).load(null, flags);
  }

  private static AgentSection agents(Map<String, String> flags) {
    return settings(flags).agents();
  }

  @Test
  @DisplayName("E1: agents: defaults and keys")
  void agents() {
    AgentSection defaults = agents(Map.of());
    assertThat(defaults.handler().workspaceRoot()).isEqualTo(Path.of(".holdfast/agents"));
    assertThat(defaults.handler().callRetry()).isEqualTo(CallRetryOptions.DEFAULTS);
    assertThat(defaults.handler().loops()).isEqualTo(LoopSettings.DEFAULT);
    assertThat(defaults.sandbox()).isEqualTo(SandboxMode.AUTO);

    AgentSection set =
        agents(
            Map.of(
                "agents.workspace-root", "/a",
                "llm.timeout", "1s",
                "llm.max-calls-per-execution", "0",
                "provider.retry.max-retries", "1",
                "provider.retry.base-delay", "2s",
                "provider.retry.max-delay", "3s",
                "provider.retry.factor", "1.5",
                "session.loops.nudge-after", "2",
                "session.loops.end-after", "9"));

    assertThat(set.handler().workspaceRoot()).isEqualTo(Path.of("/a"));
    assertThat(set.handler().llmTimeout()).hasSeconds(1);
    assertThat(set.handler().maxCalls()).isZero();
    assertThat(set.handler().callRetry())
        .isEqualTo(new CallRetryOptions(1, Duration.ofSeconds(2), Duration.ofSeconds(3), 1.5));
    assertThat(set.handler().loops()).isEqualTo(new LoopSettings(2, 9));
  }

  @Test
  @DisplayName("D26: the keys of a turn's retries, each for itself")
  void turns() {
    assertThat(
            agents(Map.of("session.retry.max-retries", "7", "session.retry.base-delay", "0"))
                .handler()
                .autoRetry())
        .isEqualTo(new AutoRetrySettings(true, 7, Duration.ZERO, false, false));
    assertThat(agents(Map.of("session.retry.enabled", "false")).handler().autoRetry())
        .isEqualTo(new AutoRetrySettings(false, 3, Duration.ofSeconds(2), false, false));
    assertThat(agents(Map.of("session.retry.whole-numbers", "true")).handler().autoRetry())
        .isEqualTo(new AutoRetrySettings(true, 3, Duration.ofSeconds(2), true, false));
    assertThat(
            agents(Map.of("session.retry.skip-if-exhausted-below", "true")).handler().autoRetry())
        .isEqualTo(new AutoRetrySettings(true, 3, Duration.ofSeconds(2), false, true));
  }

  @ParameterizedTest
  @CsvSource({"nudge-after, end-after", "end-after, nudge-after"})
  @DisplayName("one step alone is no loop: it is refused, not taken for two")
  void loops(String key, String other) {
    String name = "session.loops." + key;
    assertThat(agents(Map.of(name, "0", "session.loops." + other, "0")).handler().loops())
        .isEqualTo(LoopSettings.OFF);
    assertThatThrownBy(() -> agents(Map.of(name, "1")))
        .isInstanceOf(ConfigException.class)
        .hasMessage(name + ": one step alone is no loop; allowed: 0, 2 to 1000");
  }

  @Test
  @DisplayName("C14: tools run as wide, as long and as often as the keys say; 0 is the usual")
  void tools() {
    ToolSettings usual = ToolSettings.defaults();
    ToolSettings set =
        agents(Map.of("tools.width", "9", "tools.timeout", "8s", "tools.max-retries", "7"))
            .handler()
            .tools();
    assertThat(set)
        .isEqualTo(
            usual
                .withWidth(9)
                .withCallTimeout(Duration.ofSeconds(8))
                .withRetry(usual.retry().withMaxAttempts(7)));
    assertThat(agents(Map.of("tools.width", "0")).handler().tools().width())
        .isEqualTo(usual.width());
    assertThat(agents(Map.of("mcp.token", "hunter2hunter2")).handler().tools().secrets())
        .as("no tool's answer tells what is configured")
        .satisfies(
            secrets ->
                assertThat(secrets.redact("hunter2hunter2")).isEqualTo("[redacted:mcp.token]"));
  }

  @ParameterizedTest
  @EnumSource(SandboxMode.class)
  @DisplayName("every way of confining has its word")
  void sandbox(SandboxMode mode) {
    assertThat(agents(Map.of("tools.sandbox", mode.word())).sandbox()).isEqualTo(mode);
  }

  @Test
  @DisplayName("a provider that is added takes the place of one of its name, behind the others")
  void withProvider() {
    AgentSection before =
        agents(Map.of("providers.a.base-url", "http://a", "providers.b.base-url", "http://b"));
    ProviderEntry other =
        new ProviderEntry(
            ProviderType.SCRIPTED,
            new ProviderSettings("a", null, List.of(), Prices.NONE),
            Optional.of(Path.of("s.yaml")));

    AgentSection after = before.withProvider(other);

    assertThat(after.providers()).containsExactly(before.providers().getLast(), other);
    assertThat(after.spend()).isEqualTo(before.spend());
    assertThat(after.handler()).isEqualTo(before.handler());
    assertThat(settings(Map.of()).withAgents(after).agents()).isEqualTo(after);
  }

  @Test
  @DisplayName("E17, E24: repairs: defaults are the source's numbers, every key its place")
  void repairs() {
    RepairTicketSettings defaults = settings(Map.of()).repair();
    assertThat(defaults)
        .isEqualTo(
            new RepairTicketSettings(
                Path.of(".holdfast/repairs"),
                Path.of(".holdfast/runs"),
                0,
                dev.holdfast.repair.RepairSettings.DEFAULTS));
    assertThat(defaults.width()).isEqualTo(Runtime.getRuntime().availableProcessors());

    RepairTicketSettings set =
        settings(
                Map.ofEntries(
                    Map.entry("repair.workspace-root", "/w"),
                    Map.entry("repair.runs-root", "/r"),
                    Map.entry("repair.parallel", "1"),
                    Map.entry("repair.json-retries", "9"),
                    Map.entry("repair.escalation.enabled", "false"),
                    Map.entry("repair.escalation.to-l3-after-non-improving-iterations", "3"),
                    Map.entry("repair.escalation.to-l3-after-patch-apply-failures", "4"),
                    Map.entry("repair.escalation.max-escalations", "5"),
                    Map.entry("repair.l3.best-of-n", "6"),
                    Map.entry("repair.l3.enable-reviewer", "false"),
                    Map.entry("repair.l3.max-attempts", "7"),
                    Map.entry("repair.l3.diagnosis.enabled", "false"),
                    Map.entry("repair.l3.diagnosis.trigger-on-repeated-failures", "8"),
                    Map.entry("repair.l3.diagnosis.max-tot-branches", "9"),
                    Map.entry("llm.timeout", "8s")))
            .repair();

    assertThat(set)
        .isEqualTo(
            new RepairTicketSettings(
                Path.of("/w"),
                Path.of("/r"),
                1,
                new dev.holdfast.repair.RepairSettings(
                    Limits.DEFAULTS.withLlmTimeout(Duration.ofSeconds(8)),
                    new Escalation(false, 3, 4, 5),
                    new Candidates(6, false, true, 7),
                    new Diagnosis(false, 8, 9),
                    9)));
    assertThat(set.width()).isEqualTo(1);
    assertThat(settings(Map.of("repair.l3.enable-judge", "false")).repair().usual().l3())
        .isEqualTo(new Candidates(3, true, false, 4));
  }
}
