package dev.holdfast.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The alerts fire when they should and are silent when they should, as Prometheus sees them. */
@Tag("slow")
class AlertRulesIT {
  private static final Path RULES = Path.of("deploy/alerts.yaml");
  private static final Path TESTS = Path.of("deploy/alerts-test.yaml");

  /** A comparison with a number, as {@code > 0.3}. */
  private static final Pattern COMPARISON = Pattern.compile(" (<|>|==) (?=\\d)");

  private static final Map<String, List<String>> OTHERS =
      Map.of("<", List.of("<=", ">"), ">", List.of(">=", "<"), "==", List.of("!="));

  private static List<JsonNode> rules() throws IOException {
    return Yaml.documents(RULES).getFirst().at("/groups/0/rules").valueStream().toList();
  }

  private static JsonNode tests() throws IOException {
    return Yaml.documents(TESTS).getFirst();
  }

  static Stream<String> alerts() throws IOException {
    return rules().stream().map(rule -> rule.path("alert").asString());
  }

  private static void requirePromtool() {
    assumeTrue(Promtool.isInstalled(), "promtool is missing: install the package prometheus");
  }

  @Test
  @DisplayName("B69, E49: promtool finds every alert silent at its threshold and firing above it")
  void thresholds() throws Exception {
    requirePromtool();
    assertThat(Promtool.test(TESTS)).isEmpty();
  }

  @Test
  @DisplayName("B69, E49: every alert has a case in which it fires and one in which it is silent")
  void cases() throws IOException {
    Set<String> firing = new HashSet<>();
    Set<String> silent = new HashSet<>();
    for (JsonNode test : tests().path("tests")) {
      for (JsonNode each : test.path("alert_rule_test")) {
        (each.path("exp_alerts").isEmpty() ? silent : firing)
            .add(each.path("alertname").asString());
      }
    }
    assertThat(alerts()).allSatisfy(alert -> assertThat(firing).contains(alert));
    assertThat(alerts()).allSatisfy(alert -> assertThat(silent).contains(alert));
  }

  @ParameterizedTest
  @MethodSource("alerts")
  @DisplayName("B69, E49: any other comparison in the rule would turn promtool's tests red")
  void comparisons(String alert, @TempDir Path directory) throws Exception {
    requirePromtool();
    ObjectNode rule =
        (ObjectNode)
            rules().stream()
                .filter(each -> each.path("alert").asString().equals(alert))
                .findFirst()
                .orElseThrow();
    String expression = rule.path("expr").asString();
    List<String> changed = changed(expression);
    assertThat(changed).isNotEmpty();
    List<Path> tests = new ArrayList<>();
    tests.add(writeTests(alert, rule, expression, directory.resolve("unchanged")));
    for (String each : changed) {
      tests.add(writeTests(alert, rule, each, directory.resolve("changed-" + tests.size())));
    }
    List<String> said = Promtool.testEach(tests);
    assertThat(said.removeFirst()).contains("SUCCESS");
    assertThat(said)
        .zipSatisfy(changed, (text, each) -> assertThat(text).as(each).contains("FAILED"));
  }

  private static Path writeTests(String alert, ObjectNode rule, String expression, Path directory)
      throws IOException {
    ObjectNode other = rule.deepCopy().put("expr", expression);
    ObjectNode file = JsonMapper.shared().createObjectNode();
    file.putArray("groups").addObject().put("name", "one").putArray("rules").add(other);
    Files.createDirectory(directory);
    write(directory.resolve("rules.json"), file);
    Path tests = directory.resolve("tests.json");
    write(tests, testsOf(alert));
    return tests;
  }

  /** The expression with one comparison exchanged for another, in every way. */
  private static List<String> changed(String expression) {
    List<String> changed = new ArrayList<>();
    for (MatchResult match : COMPARISON.matcher(expression).results().toList()) {
      for (String other : OTHERS.getOrDefault(match.group(1), List.of())) {
        changed.add(
            expression.substring(0, match.start(1)) + other + expression.substring(match.end(1)));
      }
    }
    return changed;
  }

  private static ObjectNode testsOf(String alert) throws IOException {
    ObjectNode file = ((ObjectNode) tests()).deepCopy();
    file.putArray("rule_files").add("rules.json");
    ArrayNode left = file.putArray("tests");
    for (JsonNode test : tests().path("tests")) {
      ObjectNode copy = ((ObjectNode) test).deepCopy();
      ArrayNode kept = copy.putArray("alert_rule_test");
      for (JsonNode each : test.path("alert_rule_test")) {
        if (each.path("alertname").asString().equals(alert)) {
          kept.add(each);
        }
      }
      if (!kept.isEmpty()) {
        left.add(copy);
      }
    }
    return file;
  }

  private static void write(Path file, JsonNode content) throws IOException {
    Files.writeString(file, content.toString());
  }
}
