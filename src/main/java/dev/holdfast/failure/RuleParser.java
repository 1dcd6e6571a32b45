package dev.holdfast.failure;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;

/** Turns maps, from the rule file or from configuration, into rules; says clearly what is wrong. */
record RuleParser(Map<String, ?> fields, String where) {
  private static final List<String> FIELDS =
      List.of(
          "id", "stage", "category", "patterns", "literals", "codes", "unless", "why", "enabled");
  private static final Pattern ID = Pattern.compile("[a-z0-9][a-z0-9._-]{0,99}");
  private static final Pattern NUMBERS = Pattern.compile("-?\\d{1,10}(?:--?\\d{1,10})?");

  static List<Rule> parseAll(List<? extends Map<String, ?>> rules, List<Rule> bases) {
    List<Rule> parsed = new ArrayList<>();
    Set<String> ids = new HashSet<>();
    for (int i = 0; i < rules.size(); i++) {
      Rule rule = new RuleParser(rules.get(i), "rule " + (i + 1)).parse(bases);
      if (!ids.add(rule.id())) {
        throw new InvalidRuleException(
            "rule %s: the id \"%s\" is used twice; rename or remove one"
                .formatted(i + 1, rule.id()));
      }
      parsed.add(rule);
    }
    return parsed;
  }

  private Rule parse(List<Rule> bases) {
    String id = id();
    for (String field : fields.keySet()) {
      if (!FIELDS.contains(field)) {
        throw bad("unknown field \"" + field + "\"; the fields are " + String.join(", ", FIELDS));
      }
    }
    Rule base = base(id, bases);
    Rule rule =
        new Rule(
            id,
            stage(base),
            category(base),
            patterns(base),
            texts("literals", base == null ? List.of() : base.literals(), true),
            texts("codes", base == null ? List.of() : base.codes(), false),
            unless(base),
            string("why", base == null ? "" : base.why()),
            enabled(base));
    check(rule);
    return rule;
  }

  private static @Nullable Rule base(String id, List<Rule> bases) {
    for (Rule base : bases) {
      if (base.id().equals(id)) {
        return base;
      }
    }
    return null;
  }

  private String id() {
    String id = string("id", "");
    if (!ID.matcher(id).matches()) {
      throw bad(
          "needs an id of lower-case letters, digits, dots and hyphens, such as \"my-proxy-busy\"");
    }
    return id;
  }

  private Stage stage(@Nullable Rule base) {
    String name = string("stage", base == null ? Stage.TEXT.wireName() : base.stage().wireName());
    return Stage.ofWireName(name)
        .orElseThrow(
            () -> bad("unknown stage \"" + name + "\"; use one of " + names(Stage.values())));
  }

  private Category category(@Nullable Rule base) {
    String name = string("category", base == null ? "" : base.category().wireName());
    return Category.ofWireName(name)
        .orElseThrow(
            () -> bad("unknown category \"" + name + "\"; use one of " + names(Category.values())));
  }

  private List<Pattern> patterns(@Nullable Rule base) {
    if (!fields.containsKey("patterns")) {
      return base == null ? List.of() : base.patterns();
    }
    List<Pattern> patterns = new ArrayList<>();
    for (String regex : strings("patterns")) {
      patterns.add(pattern("patterns", regex));
    }
    return patterns;
  }

  private @Nullable Pattern unless(@Nullable Rule base) {
    if (!fields.containsKey("unless")) {
      return base == null ? null : base.unless();
    }
    return pattern("unless", string("unless", ""));
  }

  private Pattern pattern(String field, String regex) {
    try {
      Pattern pattern = Pattern.compile(regex, Pattern.CASE_INSENSITIVE | Pattern.MULTILINE);
      if (pattern.matcher("").find()) {
        throw bad(field + " \"" + regex + "\" matches the empty text; make it more specific");
      }
      return pattern;
    } catch (PatternSyntaxException e) {
      throw bad(
          "%s \"%s\" is no regular expression: %s at %s"
              .formatted(field, regex, e.getDescription(), e.getIndex()));
    }
  }

  private List<String> texts(String field, List<String> inherited, boolean lowerCase) {
    if (!fields.containsKey(field)) {
      return inherited;
    }
    List<String> texts = new ArrayList<>();
    for (String text : strings(field)) {
      texts.add(lowerCase ? text.toLowerCase(Locale.ROOT) : text);
    }
    return texts;
  }

  private List<String> strings(String field) {
    Object value = fields.get(field);
    Collection<?> values =
        value instanceof Collection<?> many ? many : value == null ? List.of() : List.of(value);
    List<String> strings = new ArrayList<>();
    for (Object each : values) {
      if (!(each instanceof String || each instanceof Number) || each.toString().isBlank()) {
        throw bad(field + " must hold texts, not " + each);
      }
      strings.add(each.toString());
    }
    return strings;
  }

  private String string(String field, String inherited) {
    Object value = fields.get(field);
    if (value == null) {
      return inherited;
    }
    if (!(value instanceof String text)) {
      throw bad(field + " must be a text, not " + value);
    }
    return text;
  }

  private boolean enabled(@Nullable Rule base) {
    Object value = fields.get("enabled");
    if (value == null) {
      return base == null || base.enabled();
    }
    return switch (value.toString()) {
      case "true" -> true;
      case "false" -> false;
      default -> throw bad("enabled must be true or false, not " + value);
    };
  }

  private void check(Rule rule) {
    if (rule.enabled()
        && rule.patterns().isEmpty()
        && rule.literals().isEmpty()
        && rule.codes().isEmpty()) {
      throw bad("matches nothing; give it patterns, literals or codes");
    }
    boolean numeric = rule.stage() == Stage.STATUS || rule.stage() == Stage.EXIT;
    for (String code : rule.codes()) {
      if (numeric && !NUMBERS.matcher(code).matches()) {
        throw bad("code \"" + code + "\" is neither a number nor a range such as 520-527");
      }
    }
    if (!rule.codes().isEmpty()
        && !numeric
        && rule.stage() != Stage.TYPE
        && rule.stage() != Stage.BODY) {
      throw bad(
          "codes mean nothing in stage "
              + rule.stage().wireName()
              + "; use patterns, or stage body");
    }
  }

  private InvalidRuleException bad(String problem) {
    Object id = fields.get("id");
    return new InvalidRuleException(where + (id == null ? "" : " \"" + id + "\"") + ": " + problem);
  }

  private static String names(Enum<?>[] values) {
    List<String> names = new ArrayList<>();
    for (Enum<?> value : values) {
      names.add(value.name().toLowerCase(Locale.ROOT));
    }
    return String.join(", ", names);
  }
}
