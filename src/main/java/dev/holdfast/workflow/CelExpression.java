package dev.holdfast.workflow;

import dev.cel.common.CelOptions;
import dev.cel.common.CelValidationException;
import dev.cel.common.types.SimpleType;
import dev.cel.common.values.NullValue;
import dev.cel.compiler.CelCompiler;
import dev.cel.compiler.CelCompilerFactory;
import dev.cel.parser.CelStandardMacro;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelFunctionBinding;
import dev.cel.runtime.CelRuntime;
import dev.cel.runtime.CelRuntimeFactory;
import dev.cel.runtime.CelStandardFunctions;
import dev.cel.runtime.standard.AddOperator.AddOverload;
import dev.holdfast.failure.ShortText;
import java.util.AbstractList;
import java.util.AbstractMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** An expression of the Common Expression Language. It always ends, because loops are counted. */
record CelExpression(String text, CelRuntime.Program program) implements Expression {
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
  private static final int MOST_CHARS = 16 << 20;

  /** The compiler and its options. They are loaded with the first expression that needs them. */
  private static final class Language {
    private static final CelOptions OPTIONS =
        CelOptions.current()
            .enableHeterogeneousNumericComparisons(true)
            .comprehensionMaxIterations(1_000_000)
            .maxExpressionCodePointSize(10_000)
            .build();
    static final CelCompiler COMPILER =
        CelCompilerFactory.standardCelCompilerBuilder()
            .setOptions(OPTIONS)
            .setStandardMacros(CelStandardMacro.STANDARD_MACROS)
            .addVar("payload", SimpleType.DYN)
            .addVar("results", SimpleType.DYN)
            .addVar("item", SimpleType.DYN)
            .addVar("index", SimpleType.INT)
            .build();

    /** Limits what no loop counts: a text that is doubled thirty times is a gigabyte. */
    static final CelRuntime RUNTIME =
        CelRuntimeFactory.standardCelRuntimeBuilder()
            .setOptions(OPTIONS)
            .setStandardEnvironmentEnabled(false)
            .setStandardFunctions(
                CelStandardFunctions.newBuilder()
                    .filterFunctions((function, overload) -> overload != AddOverload.ADD_STRING)
                    .build())
            .addFunctionBindings(
                CelFunctionBinding.from(
                    "add_string", String.class, String.class, CelExpression::joined))
            .build();
  }

  private static String joined(String first, String second) throws CelEvaluationException {
    if ((long) first.length() + second.length() > MOST_CHARS) {
      throw new CelEvaluationException("a text has more than " + MOST_CHARS + " characters");
    }
    return first.concat(second);
  }

  static CelExpression of(String text) {
    try {
      return new CelExpression(
          text, Language.RUNTIME.createProgram(Language.COMPILER.compile(text).getAst()));
    } catch (CelValidationException e) {
      String why = e.getErrors().isEmpty() ? "" : e.getErrors().getFirst().getMessage();
      throw new ExpressionException(text + ": " + shortened(why), e);
    } catch (CelEvaluationException e) {
      throw new ExpressionException(text + ": " + shortened(e.getMessage()), e);
    } catch (NoClassDefFoundError e) {
      throw new ExpressionException(
          text + " is more than a path, which needs dev.cel:cel on the class path", e);
    }
  }

  private static String shortened(@Nullable String why) {
    return ShortText.of(String.valueOf(why).lines().findFirst().orElse(""), 300);
  }

  @Override
  public JsonNode value(Map<String, JsonNode> scope) {
    Map<String, Object> variables = new HashMap<>();
    scope.forEach((name, value) -> variables.put(name, toCel(value)));
    try {
      return new Written(text).of(program.eval(variables));
    } catch (CelEvaluationException e) {
      throw new ExpressionException(
          text + ": " + shortened(e.getMessage()).replaceFirst("^evaluation error at \\S+ ", ""),
          e);
    }
  }

  private static Object toCel(JsonNode node) {
    if (node.isObject()) {
      return new Fields(node);
    }
    if (node.isArray()) {
      return new Items(node);
    }
    if (node.isString()) {
      return node.stringValue();
    }
    if (node.isBoolean()) {
      return node.booleanValue();
    }
    if (node.isIntegralNumber() && node.canConvertToLong()) {
      return node.asLong();
    }
    return node.isNumber() ? (Object) node.doubleValue() : NullValue.NULL_VALUE;
  }

  /**
   * An object that is converted only as far as an expression looks: it is asked for each item, and
   * all results are large.
   */
  private static final class Fields extends AbstractMap<String, Object> {
    private final JsonNode object;

    Fields(JsonNode object) {
      this.object = object;
    }

    @Override
    public @Nullable Object get(@Nullable Object name) {
      JsonNode value = name instanceof String key ? object.get(key) : null;
      return value == null ? null : toCel(value);
    }

    @Override
    public boolean containsKey(@Nullable Object name) {
      return name instanceof String key && object.has(key);
    }

    @Override
    public Set<Entry<String, Object>> entrySet() {
      Map<String, Object> all = new LinkedHashMap<>();
      object.forEachEntry((key, value) -> all.put(key, toCel(value)));
      return all.entrySet();
    }
  }

  /** A list that is converted like {@link Fields}. */
  private static final class Items extends AbstractList<Object> {
    private final JsonNode array;

    Items(JsonNode array) {
      this.array = array;
    }

    @Override
    public Object get(int index) {
      return toCel(array.get(index));
    }

    @Override
    public int size() {
      return array.size();
    }
  }

  /**
   * Writes a value as JSON. In CEL a thousand items may be one text; as JSON they are a thousand,
   * so what is written is counted.
   */
  private static final class Written {
    private final String expression;
    private long chars;

    Written(String expression) {
      this.expression = expression;
    }

    private void count(int more) {
      chars += more;
      if (chars > MOST_CHARS) {
        throw new ExpressionException(
            expression + ": its value has more than " + MOST_CHARS + " characters");
      }
    }

    JsonNode of(Object value) {
      count(2);
      return switch (value) {
        case NullValue none -> NODES.nullNode();
        case String words -> {
          count(words.length());
          yield NODES.stringNode(words);
        }
        case Boolean flag -> NODES.booleanNode(flag);
        case Long whole -> NODES.numberNode(whole);
        case Double number when Double.isFinite(number) -> NODES.numberNode(number);
        case List<?> list -> {
          ArrayNode array = NODES.arrayNode();
          list.forEach(each -> array.add(of(each)));
          yield array;
        }
        case Map<?, ?> map -> {
          ObjectNode object = NODES.objectNode();
          map.forEach(
              (key, each) -> {
                String name = String.valueOf(key);
                count(name.length());
                object.set(name, of(each));
              });
          yield object;
        }
        default ->
            throw new ExpressionException(
                "%s: its value, %s, has no form in JSON"
                    .formatted(expression, shortened(value.toString())));
      };
    }
  }
}
