package dev.holdfast.failure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RequiredLiteralsTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "connection refused; [[connection refused]]",
        "Time-?out; [[time], [out]]",
        "\\bgit (?:push|pull)\\b[^\\n]{0,9}failed; [[git ], [pull, push], [failed]]",
        "(?-i:\\bEPIPE\\b|\\bENOENT\\b); [[enoent, epipe]]",
        "(?:could|can) not (?:be )?reached; [[can, could], [ not ], [reached]]",
        "colou{1,2}rings(?!suffix)(?=ahead)(?<!behind)end; [[colou], [rings], [end]]",
        "x\\.y\\.z[abc]{1,3}(?:quota)+; [[x.y.z], [quota]]",
        "限流|频率; [[限流, 频率]]",
      })
  @DisplayName("Literals that every match has are read from an expression")
  void required(String regex, String expected) {
    List<Set<String>> sets =
        RequiredLiterals.of(regex).stream().<Set<String>>map(TreeSet::new).toList();

    assertThat(sets.toString()).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\\d{3}",
        "a|bcd",
        "(?:abc)?",
        "(?:abc)*",
        "(?:abc){0,3}",
        "[abc]+",
        "(?i)abc",
        "(?x: a b c )",
        "\\Qabc\\E",
        "\\x41bcd",
        "(abc)\\1",
      })
  @DisplayName("Where a match may lack every literal, or the syntax is unusual, there are none")
  void none(String regex) {
    assertThat(RequiredLiterals.of(regex)).isEmpty();
  }

  @Test
  @DisplayName("The outermost alternatives are split, those of a group around them too")
  void alternatives() {
    assertThat(RegexSource.alternatives("a|(?:b|c)d|[|]\\||(?-i:E|F(?:g|h))"))
        .containsExactly("a", "(?:b|c)d", "[|]\\|", "(?-i:E)", "(?-i:F(?:g|h))");
  }
}
