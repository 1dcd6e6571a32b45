package dev.holdfast.failure;

import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One line of the classifier's table: data, not code. A rule matches where its stage's subject has
 * one of its codes, patterns or literals and the text does not match {@code unless}.
 *
 * @param id unique name, such as "http-rate-limit"; stored with each failure
 * @param stage what the rule looks at
 * @param category the category of what it matches
 * @param patterns regular expressions, case-insensitive and multi-line, found anywhere
 * @param literals plain texts, compared in lower case; for messages in other languages
 * @param codes class names (stage type), error codes (body), statuses and exit codes or ranges such
 *     as "520-527" (status, exit)
 * @param unless a pattern of texts that the rule must leave alone
 * @param why the reason for the rule, for its readers
 * @param enabled false switches the rule off
 */
public record Rule(
    String id,
    Stage stage,
    Category category,
    List<Pattern> patterns,
    List<String> literals,
    List<String> codes,
    @Nullable Pattern unless,
    String why,
    boolean enabled) {

  public Rule {
    patterns = List.copyOf(patterns);
    literals = List.copyOf(literals);
    codes = List.copyOf(codes);
  }

  /**
   * Reads one rule as it stands in configuration. A rule with the id of a built-in one takes over
   * the fields that it does not give.
   *
   * @throws InvalidRuleException where a map has an unknown field, a bad pattern, category or
   *     stage, or nothing to match, and where two rules have one id
   */
  public static List<Rule> parseAll(List<? extends Map<String, ?>> rules) {
    return RuleParser.parseAll(rules, RuleTable.builtIn());
  }
}
