package dev.holdfast.config;

import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The keys of one provider of models. Their names hold the provider's own name, so each provider
 * has a set of them. The table of all keys has them under {@link #ANY}.
 */
record ProviderKeys(
    Key<ProviderType> type,
    Key<String> baseUrl,
    Key<String> apiKey,
    Key<List<String>> apiKeys,
    Key<List<Map<String, ?>>> prices,
    Key<String> script) {
  /** Stands for a provider's name in the documentation. */
  static final ProviderKeys ANY = named("<name>");

  /** The generic variables, and the key that each sets; besides our own variables. */
  static final Map<String, String> KEY_VARIABLES =
      Map.of("OPENAI_API_KEY", "openai", "ANTHROPIC_API_KEY", "anthropic");

  private static final String SECTION = "providers.";
  private static final String ANY_SECTION = SECTION + "<name>";
  private static final String VARIABLE = "HOLDFAST_PROVIDERS_";
  private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9-]{0,62}");

  /**
   * Returns the keys of a provider. Hyphen and underscore are the same in its name, as in the
   * environment.
   */
  static ProviderKeys of(String name) {
    return named(canonical(name));
  }

  private static ProviderKeys named(String name) {
    String prefix = SECTION + name + ".";
    ProviderType usual = name.equals("anthropic") ? ProviderType.ANTHROPIC : ProviderType.OPENAI;
    return new ProviderKeys(
        new Key<>(
            prefix + "type",
            ProviderType.TYPE,
            usual.wireName(),
            false,
            "What it speaks. openai: OpenAI and every server that is compatible with its chat"
                + " completions; anthropic, the default of the provider of that name; scripted: no"
                + " model at all, it plays a script."),
        new Key<>(
            prefix + "base-url",
            new KeyType.Text(Pattern.compile("|https?://\\S+"), "an http or https URL"),
            "",
            false,
            "Where it is; empty is the vendor's own. Of OpenAI-compatible servers with the /v1."),
        new Key<>(
            prefix + "api-key",
            new KeyType.Text(Pattern.compile("\\S*"), "a key without blanks"),
            "",
            true,
            "Its key. Of the providers openai and anthropic also OPENAI_API_KEY and"
                + " ANTHROPIC_API_KEY."),
        new Key<>(
            prefix + "api-keys",
            new KeyType.Texts(Pattern.compile("\\S+"), "keys without blanks"),
            "",
            true,
            "Several keys, after api-key: where the usage limit of one is reached, the next is"
                + " taken."),
        new Key<>(
            prefix + "prices",
            new KeyType.Documents(
                "a list of {model, input, output, cache-read, cache-write}, in USD per million"
                    + " tokens"),
            "",
            false,
            "What its models cost; model is a name, or the start of one with a * after it. In the"
                + " environment: the list as JSON."),
        new Key<>(
            prefix + "script",
            new KeyType.Text(Pattern.compile("(?s).*"), "a file"),
            "",
            false,
            "The script that a provider of type scripted plays."));
  }

  List<Key<?>> all() {
    return List.of(type, baseUrl, apiKey, apiKeys, prices, script);
  }

  static boolean isAny(Key<?> key) {
    return key.name().startsWith(ANY_SECTION);
  }

  /** Finds the key of a name such as {@code providers.openai.base-url}. */
  static Optional<Key<?>> find(String key) {
    String name = providerOf(key);
    return name == null
        ? Optional.empty()
        : of(name).all().stream().filter(each -> plain(each.name()).equals(plain(key))).findFirst();
  }

  /** Finds the key of a variable such as {@code HOLDFAST_PROVIDERS_OPENAI_BASE_URL}. */
  static Optional<Key<?>> findVariable(String variable) {
    if (!variable.startsWith(VARIABLE)) {
      return Optional.empty();
    }
    return ANY.all().stream()
        .map(key -> key.name().substring(key.name().lastIndexOf('.') + 1))
        .map(last -> "_" + last.replace('-', '_').toUpperCase(Locale.ROOT))
        .filter(variable::endsWith)
        .filter(suffix -> variable.length() > VARIABLE.length() + suffix.length() - 1)
        .<Key<?>>flatMap(
            suffix -> {
              String name =
                  variable.substring(VARIABLE.length(), variable.length() - suffix.length());
              String last = suffix.substring(1).toLowerCase(Locale.ROOT);
              return find(SECTION + name.toLowerCase(Locale.ROOT) + "." + last).stream();
            })
        .findFirst();
  }

  /**
   * Returns the variables among which the meant one is. Those of providers are not among the known.
   */
  static Collection<String> near(String variable, Collection<String> known) {
    return variable.startsWith(VARIABLE)
        ? ANY.all().stream().map(Key::environmentName).toList()
        : known;
  }

  /** Returns true if there are keys below it: {@code providers.openai}. */
  static boolean isSection(String name) {
    return providerOf(name + ".") != null && providerOf(name) == null;
  }

  /**
   * Returns true if it begins like a provider's key, but the next part cannot be a provider's name.
   */
  static boolean hasBadName(String key) {
    return key.startsWith(SECTION) && providerOf(key + ".") == null;
  }

  /** Returns the key as the table of all keys has it. */
  static String general(String key) {
    String name = providerOf(key);
    return name == null ? key : ANY_SECTION + key.substring(SECTION.length() + name.length());
  }

  /** Returns the providers that any of these keys is about, in the order of their names. */
  static List<String> names(Stream<String> keys) {
    return keys.map(ProviderKeys::providerOf)
        .filter(name -> name != null)
        .map(name -> canonical(String.valueOf(name)))
        .distinct()
        .sorted()
        .toList();
  }

  private static @Nullable String providerOf(String key) {
    int end = key.indexOf('.', SECTION.length());
    if (!key.startsWith(SECTION) || end < 0) {
      return null;
    }
    String name = key.substring(SECTION.length(), end);
    return NAME.matcher(canonical(name)).matches() ? name : null;
  }

  private static String canonical(String name) {
    return name.equals("<name>") ? name : plain(name);
  }

  private static String plain(String text) {
    return text.replace('_', '-');
  }
}
