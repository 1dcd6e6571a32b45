package dev.holdfast.handler.repair;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.repair.RepairSettings;
import dev.holdfast.repair.RepairSettings.Diagnosis;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class RepairDesignTest {
  private static final JsonMapper JSON = new JsonMapper();

  @ParameterizedTest(name = "{0} is {1}, {2}, {3}")
  @CsvSource(
      quoteCharacter = '`',
      value = {
        "`{}`, true, 2, 3",
        "`{'l3': {'diagnosis': {'enabled': false, 'max_tot_branches': 5}}}`, false, 2, 5",
        "`{'diagnosis': {'trigger_on_repeated_failures': 4}}`, true, 4, 3",
        "`{'l3': {'diagnosis': {'max_tot_branches': 5}}, 'diagnosis': {'enabled': false}}`,"
            + " false, 2, 5",
      })
  @DisplayName("E35: diagnosis stands in l3, as in the source; beside l3 it is taken, too")
  void diagnosis(String design, boolean enabled, int trigger, int branches) {
    JsonNode document = JSON.readTree(with(design));

    assertThat(RepairDesign.of(document, RepairSettings.DEFAULTS).settings().diagnosis())
        .isEqualTo(new Diagnosis(enabled, trigger, branches));
  }

  private static String with(String keys) {
    String rest = keys.substring(1).equals("}") ? "}" : ", " + keys.substring(1);
    return ("{'repository': {'path': '/srv/project'}" + rest).replace('\'', '"');
  }
}
