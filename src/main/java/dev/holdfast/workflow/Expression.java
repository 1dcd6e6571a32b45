package dev.holdfast.workflow;

import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
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
    private static final Pattern STEP = Pattern.compile("results\\.\\w+");

    @Override
    public JsonNode value(Map<String, JsonNode> scope) {
      Matcher part = PART.matcher(text);
      JsonNode at = null;
      while (part.find()) {
        JsonNode above = at;
        if (above == null) {
          at = scope.get(part.group(1));
        } else if (part.group(1) != null) {
          at = above.get(part.group(1));
        } else {
          at = above.get(Integer.parseInt(part.group(2)));
        }
        if (at == null) {
          throw new ExpressionException(
              text
                  + ": there is no "
                  + text.substring(0, part.end())
                  + why(above, text.substring(0, part.start())));
        }
      }
      if (at == null) {
        throw new ExpressionException(text + " names nothing");
      }
      return at;
    }

    private static String why(@Nullable JsonNode above, String path) {
      if (above == null || !above.isNull()) {
        return "";
      }
      return ", for %s is null%s"
          .formatted(
              path,
              STEP.matcher(path).matches() ? ": its ticket was cancelled or had no result" : "");
    }
  }
}
