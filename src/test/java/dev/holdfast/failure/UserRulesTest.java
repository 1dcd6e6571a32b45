package dev.holdfast.failure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class UserRulesTest {
  private static Rule rule(Map<String, ?> fields) {
    return Rule.parseAll(List.of(fields)).getFirst();
  }

  private static Failure classify(List<Rule> rules, String text) {
    return Classifier.standard().withRules(rules).classify(ErrorReport.ofText(text));
  }

  @Test
  @DisplayName("A12: a user's rule runs before the built-in ones")
  void userRuleFirst() {
    Rule rule =
        rule(
            Map.of(
                "id", "our-proxy", "category", "system_error", "patterns", "proxy said HTTP 503"));
    Failure failure = classify(List.of(rule), "the PROXY said HTTP 503");
    assertThat(failure.category()).isEqualTo(Category.SYSTEM_ERROR);
    assertThat(failure.rule()).isEqualTo("our-proxy");
    assertThat(failure.evidence()).isEqualTo("PROXY said HTTP 503");
    assertThat(classify(List.of(rule), "HTTP 503").rule()).isEqualTo("http-try-again");
  }

  @Test
  @DisplayName("A12: a rule with a built-in's id takes its place and what it does not say")
  void override() {
    Rule rule = rule(Map.of("id", "http-rate-limit", "category", "api_error"));
    assertThat(rule.stage()).isEqualTo(Stage.STATUS);
    assertThat(rule.codes()).containsExactly("429");
    assertThat(classify(List.of(rule), "HTTP 429").category()).isEqualTo(Category.API_ERROR);
    assertThat(Classifier.standard().withRules(List.of(rule)).rules())
        .hasSameSizeAs(Classifier.standard().rules());
  }

  @Test
  @DisplayName("A12: a rule can be switched off")
  void disabled() {
    Rule off = rule(Map.of("id", "http-rate-limit", "enabled", false));
    assertThat(classify(List.of(off), "HTTP 429").rule()).isEqualTo("http-refused");
  }

  @Test
  @DisplayName("A12: user rules may look at codes, statuses and exit codes too")
  void otherStages() {
    List<Rule> rules =
        Rule.parseAll(
            List.of(
                Map.of(
                    "id",
                    "teapot",
                    "stage",
                    "status",
                    "category",
                    "transient",
                    "codes",
                    List.of(418)),
                Map.of(
                    "id",
                    "lock",
                    "stage",
                    "exit",
                    "category",
                    "transient",
                    "codes",
                    List.of("70-73")),
                Map.of(
                    "id", "gate", "stage", "body", "category", "unknown", "codes", "gate_*_shut")));
    assertThat(classify(rules, "HTTP 418").rule()).isEqualTo("teapot");
    assertThat(classify(rules, "exited with code 72").rule()).isEqualTo("lock");
    assertThat(classify(rules, "{\"code\": \"GATE_NORTH_SHUT\"}").rule()).isEqualTo("gate");
    assertThat(classify(rules, "{\"code\": \"gate_north_open\"}").rule()).isEqualTo("none");
  }

  @Test
  @DisplayName("A12: a rule leaves texts alone that match its unless")
  void unless() {
    Rule rule =
        rule(Map.of("id", "x", "category", "unknown", "patterns", "HTTP 503", "unless", "nightly"));
    assertThat(classify(List.of(rule), "HTTP 503").rule()).isEqualTo("x");
    assertThat(classify(List.of(rule), "nightly HTTP 503").rule()).isEqualTo("http-try-again");
  }

  @Test
  @DisplayName("A12: each bad rule is refused with one line that names the rule and the fault")
  void badRules() {
    refused(Map.of("category", "unknown"), "needs an id");
    refused(Map.of("id", "x", "category", "flaky", "patterns", "a"), "unknown category \"flaky\"");
    refused(Map.of("id", "x", "patterns", "a"), "unknown category \"\"");
    refused(Map.of("id", "x", "category", "unknown"), "matches nothing");
    refused(Map.of("id", "x", "category", "unknown", "patern", "a"), "unknown field \"patern\"");
    refused(Map.of("id", "x", "category", "unknown", "patterns", "(a"), "no regular expression");
    refused(Map.of("id", "x", "category", "unknown", "patterns", "a*"), "matches the empty text");
    refused(Map.of("id", "x", "category", "unknown", "patterns", List.of(true)), "must hold texts");
    refused(Map.of("id", "x", "category", 7, "patterns", "a"), "category must be a text");
    refused(Map.of("id", "x", "category", "unknown", "stage", "later"), "unknown stage \"later\"");
    refused(Map.of("id", "x", "category", "unknown", "codes", "a"), "codes mean nothing");
    refused(
        Map.of("id", "x", "category", "unknown", "stage", "status", "codes", "5xx"),
        "neither a number nor a range");
    refused(
        Map.of("id", "x", "category", "unknown", "patterns", "a", "enabled", "maybe"),
        "enabled must be true or false");
  }

  private static void refused(Map<String, ?> fields, String part) {
    assertThatThrownBy(() -> rule(fields))
        .isInstanceOf(InvalidRuleException.class)
        .hasMessageContaining(part)
        .message()
        .doesNotContain("\n");
  }

  @Test
  @DisplayName("A12: two rules of one id are refused")
  void duplicates() {
    Map<String, Object> rule = Map.of("id", "x", "category", "unknown", "patterns", "a");
    assertThatThrownBy(() -> Rule.parseAll(List.of(rule, rule)))
        .isInstanceOf(InvalidRuleException.class)
        .hasMessage("rule 2: the id \"x\" is used twice; rename or remove one");
    assertThatThrownBy(() -> Classifier.standard().withRules(List.of(rule(rule), rule(rule))))
        .isInstanceOf(InvalidRuleException.class);
  }

  @Test
  @DisplayName("A12: every built-in rule has a reason, an id of its own and a category")
  void builtInRules() {
    Set<String> ids = new HashSet<>();
    for (Rule rule : Classifier.standard().rules()) {
      assertThat(ids.add(rule.id())).as(rule.id()).isTrue();
      assertThat(rule.why()).as(rule.id()).isNotBlank();
      assertThat(rule.category()).as(rule.id()).isNotEqualTo(Category.UNKNOWN);
    }
    assertThat(ids).hasSizeGreaterThan(40);
  }
}
