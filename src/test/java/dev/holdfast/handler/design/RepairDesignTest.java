package dev.holdfast.handler.design;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ticket.InvalidInputException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RepairDesignTest {
  private static final String DESIGN =
      """
      kind: repair
      repository: {path: /srv/project, ref: main}
      goal: Make the tests pass.
      verify: [{name: test, command: [mvn, -q, test], timeout: 5m, junit: "target/*.xml"}]
      targets: [{provider: openai, model: m}]
      limits: {max_iterations: 5, max_duration: 1h, max_calls: 60, max_cost_usd: 2.5, llm_timeout: 2m}
      escalation: {enabled: true, to_l3_after_non_improving_iterations: 2, to_l3_after_patch_apply_failures: 2, max_escalations: 1}
      l3:
        {best_of_n: 3, enable_reviewer: true, enable_judge: true, max_attempts: 4,
        diagnosis: {enabled: true, trigger_on_repeated_failures: 2, max_tot_branches: 3}}
      on_approve: merge
      review: human
      """;

  private final DesignValidator validator = new DesignValidator();

  @Test
  @DisplayName("issue 6.1: a repair design with every key, and the shortest one")
  void valid() {
    assertThat(validator.validate(DESIGN).kind()).isEqualTo("repair");
    assertThat(
            validator
                .validate(
                    "kind: repair\n"
                        + "repository: {url: \"https://host/p.git\"}\n"
                        + "verify: [{name: t, command: [make]}]\n"
                        + "targets: [{provider: p, model: m}]\n")
                .kind())
        .isEqualTo("repair");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "path: /srv/project, | '' | repository",
        "path: /srv/project | path: project | absolute path",
        "path: /srv/project | path: /srv/project, url: https://h/p | repository",
        "max_iterations: 5 | max_iterations: 0 | max_iterations",
        "max_iterations: 5 | max_iteration: 5 | did you mean \"max_iterations\"",
        "timeout: 5m | timeout: 5 | timeout",
        "on_approve: merge | on_approve: maybe | on_approve",
        "best_of_n: 3 | best_of_n: 21 | best_of_n",
        "max_tot_branches: 3 | max_tot_branches: 21 | l3.diagnosis.max_tot_branches",
        "command: [mvn, -q, test] | command: [] | must name a program",
      })
  @DisplayName("a wrong key or value is refused by name")
  void invalid(String part, String other, String said) {
    assertThat(DESIGN).contains(part);
    assertThatThrownBy(() -> validator.validate(DESIGN.replace(part, other)))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining(said);
  }

  @Test
  @DisplayName("docs/repair.md names every key of the schema, and its first design is valid")
  void documented() throws IOException {
    String page = Files.readString(Path.of("docs/repair.md"));
    int from = page.indexOf("```yaml\n") + 8;
    assertThat(validator.validate(page.substring(from, page.indexOf("```", from))).kind())
        .isEqualTo("repair");
    for (String line : DESIGN.lines().toList()) {
      for (String key : line.split("[^a-z0-9_]+")) {
        if (key.contains("_") && line.contains(key + ":")) {
          assertThat(page).contains(key);
        }
      }
    }
  }
}
