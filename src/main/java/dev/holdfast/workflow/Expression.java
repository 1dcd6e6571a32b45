package dev.holdfast.workflow;

import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/**
 * An expression over {@code payload}, {@code results}, {@code item} and {@code index}. A path such
 * as {@code results.fetch.items[0]} is followed directly, so that numbers keep their digits;
 * anything else is CEL. Immutable.
 */
sealed interface Expression permits Expression.Path, CelExpression {
  /** The variables that expressions may name. */
  Set<String> VARIABLES = Set.of("payload", "results", "item", "index");

  Pattern PATH = Pattern.compile("([A-Za-z_]\\w*)((?:\\.[A-Za-z_]\\w*|\\[\\d{1,9}])*)");

  /**
   * @throws ExpressionException if it is no expression
   */
  static Expression of(String text) {
    Matcher path = PATH.matcher(text.strip());
    return path.matches() && VARIABLES.contains(path.group(1))
        ? new Path(text.strip())
        : CelExpression.of(text);
  }

  /**
   * @param scope the values of the variables
   * @throws ExpressionException if it has no value there
   */
  JsonNode value(Map<String, JsonNode> scope);

  /** A path of names and places, as {@code results.fetch.items[0]}. */
  record Path(String text) implements Expression {
    private static final Pattern PART = Pattern.compile("\\.?([A-Za-z_]\\w*)|\\[(\\d+)]");

    @Override
    public JsonNode value(Map<String, JsonNode> scope) {
      Matcher part = PART.matcher(text);
      JsonNode at = null;
      while (part.find()) {
        if (at == null) {
          at = scope.get(part.group(1));
        } else if (part.group(1) != null) {
          at = at.get(part.group(1));
        } else {
          at = at.get(Integer.parseInt(part.group(2)));
        }
        if (at == null) {
          throw new ExpressionException(text + ": there is no " + text.substring(0, part.end()));
        }
      }
      if (at == null) {
        throw new ExpressionException(text + " names nothing");
      }
      return at;
    }
  }
}
