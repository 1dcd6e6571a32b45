package dev.holdfast.session.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.schema.Enqueues;
import dev.holdfast.schema.JsonSchema;
import dev.holdfast.session.journal.JournalEntry;
import dev.holdfast.session.journal.JournalJson;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What is taken for a final report. */
class ReportRulesTest {
  private static final JsonMapper JSON = JsonMapper.shared();

  @Test
  @DisplayName(
      "the references of a report's schema to itself lead somewhere in what models are shown")
  void references() {
    JsonNode schema =
        JSON.readTree(
            """
            {"$defs": {"n": {"properties": {"next": {"$ref": "#/$defs/n"}, "all": {"$ref": "#"}}}},
             "type": "object", "properties": {"first": {"$ref": "#/$defs/n"}, "$ref": {}}}
            """);
    ReportRules rules = new ReportRules(schema, Enqueues.NONE);
    JsonSchema shown = new JsonSchema(rules.spec().arguments(), "it");
    String report = "{\"status\": \"success\", \"data\": {\"first\": {\"next\": {\"all\": %s}}}}";
    assertThat(rules.check(JSON.readTree(report.formatted("{}"))).problem()).isEmpty();
    assertThat(shown.problemsOrRefusal(JSON.readTree(report.formatted("{}")))).isEmpty();
    assertThat(shown.problemsOrRefusal(JSON.readTree(report.formatted("1")))).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"1E+400", "12345678901234567890.12", "0.10"})
  @DisplayName("a number in a report keeps its digits, also in the journal")
  void numbers(String number) {
    JsonNode schema = JSON.readTree("{\"properties\": {\"a\": {\"type\": \"number\"}}}");
    String report = "{\"status\": \"success\", \"data\": {\"a\": " + number + "}}";
    FinalReport found =
        TextReport.object(report)
            .flatMap(json -> new ReportRules(schema, Enqueues.NONE).check(json).report())
            .orElseThrow();
    JournalEntry.Ended end =
        new JournalEntry.Ended(1, "reported", found, ReportSource.TOOL_CALL, null);
    JournalEntry.Ended read = (JournalEntry.Ended) JournalJson.read(JournalJson.write(end));
    assertThat(found.toJson().toString()).contains("{\"a\":" + number + "}");
    assertThat(Objects.requireNonNull(read.report()).toJson().toString())
        .contains("{\"a\":" + number + "}");
  }

  @Test
  @DisplayName("data as deep as the journal cannot write them are refused, and the model is told")
  void deepData() {
    ReportRules rules = new ReportRules(JSON.readTree("{}"), Enqueues.NONE);
    for (int levels : List.of(400, 401, 499)) {
      String report =
          "{\"status\": \"success\", \"data\": "
              + "{\"x\":".repeat(levels - 1)
              + "{}"
              + "}".repeat(levels);
      ReportRules.Checked checked = rules.check(TextReport.object(report).orElseThrow());
      assertThat(checked.report().isPresent()).as("%d levels", levels).isEqualTo(levels <= 400);
      assertThat(checked.problem())
          .isEqualTo(levels <= 400 ? "" : "\"data\" is nested deeper than 400 levels");
      checked
          .report()
          .ifPresent(
              found ->
                  JournalJson.read(
                      JournalJson.write(
                          new JournalEntry.Ended(
                              1, "reported", found, ReportSource.TOOL_CALL, null))));
    }
  }

  @Test
  @DisplayName("data that a schema with half an escape in a reference is to check are refused")
  void halfEscape() {
    ReportRules rules = new ReportRules(JSON.readTree("{\"$ref\": \"#/%zz\"}"), Enqueues.NONE);
    assertThat(rules.check(JSON.readTree("{\"status\": \"success\", \"data\": {}}")).problem())
        .startsWith("data cannot be checked: ");
  }
}
