package dev.holdfast.config;

import dev.holdfast.config.Values.Given;
import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Brings flags, environment, file and defaults together; the first that has a key wins. What it
 * does not know or cannot read is a {@link ConfigException}: nothing is repaired or ignored.
 */
public final class ConfigLoader {
  /** The file that is read from the current directory if it is there. */
  public static final String FILE_NAME = "holdfast.yaml";

  /** The file's other usual ending; people who write the file expect it to work. */
  private static final String MISNAMED = "holdfast.yml";

  private static final String PREFIX = "HOLDFAST_";

  /** Variables with our prefix that are not configuration keys. */
  private static final Set<String> OTHER_VARIABLES =
      Set.of(
          "HOLDFAST_CONFIG",
          "HOLDFAST_LOG_LEVEL",
          // Read by the launcher.
          "HOLDFAST_JAVA_OPTS",
          // These are given to a running command, which may call holdfast itself.
          "HOLDFAST_TICKET_ID",
          "HOLDFAST_ATTEMPT",
          "HOLDFAST_LEASE_NO",
          "HOLDFAST_GUIDANCE",
          "HOLDFAST_ANSWER",
          "HOLDFAST_RUN_ID");

  /**
   * Variables that Kubernetes sets in every container where a Service is called holdfast, or
   * holdfast-database.
   */
  private static final Pattern SERVICE_LINK =
      Pattern.compile(
          "HOLDFAST_(\\w+_)?(SERVICE_HOST|SERVICE_PORT(_\\w+)?|PORT_\\d\\w*)|HOLDFAST_PORT");

  /**
   * The value of another such variable, whose name may be that of a key: {@code HOLDFAST_WEB_PORT}.
   */
  private static final Pattern SERVICE_ADDRESS = Pattern.compile("(tcp|udp|sctp)://\\S+");

  private static final List<String> LOG_LEVELS =
      List.of("off", "error", "warn", "info", "debug", "trace");

  private final Path directory;
  private final Map<String, String> environment;
  private final Consumer<Settings> whenLoaded;

  /**
   * @param directory where {@code holdfast.yaml} is looked for
   * @param environment the variables, as of {@code System.getenv()}
   */
  public ConfigLoader(Path directory, Map<String, String> environment) {
    this(directory, environment, settings -> {});
  }

  /**
   * @param whenLoaded receives each configuration before anybody uses it
   */
  public ConfigLoader(
      Path directory, Map<String, String> environment, Consumer<Settings> whenLoaded) {
    this.directory = directory;
    this.environment = Map.copyOf(environment);
    this.whenLoaded = whenLoaded;
  }

  /**
   * Loads the configuration.
   *
   * @param file from {@code --config}; null takes HOLDFAST_CONFIG, or the file in the directory if
   *     there is one
   * @param flags key names with the text given on the command line
   * @throws ConfigException naming the first key that is unknown or has a bad value
   */
  public Settings load(@Nullable Path file, Map<String, String> flags) {
    requireLogLevel();
    SecretFiles files = new SecretFiles(directory);
    Map<String, Given> given = new HashMap<>(files.resolve(fromFile(file, files)));
    given.putAll(files.credentials(environment.getOrDefault("CREDENTIALS_DIRECTORY", "")));
    Map<String, Given> nearer = files.resolve(fromEnvironment());
    Given address = nearer.get(DatabaseKeys.URL.name());
    if (address != null) {
      given.keySet().removeAll(DatabaseKeys.saidBy(String.valueOf(address.value())));
    }
    given.putAll(nearer);
    ProviderKeys.KEY_VARIABLES.forEach(
        (variable, provider) -> usual(variable, provider, given, files));
    flags.forEach((key, text) -> given.put(key, new Given(text, "the command line")));
    Settings settings = Settings.of(Values.read(given), files.found());
    whenLoaded.accept(settings);
    return settings;
  }

  /** Reads a variable of other programs, unless the provider's keys are given already. */
  private void usual(
      String variable, String provider, Map<String, Given> given, SecretFiles files) {
    ProviderKeys keys = ProviderKeys.of(provider);
    if (given.containsKey(keys.apiKeys().name()) || given.containsKey(keys.apiKey().name())) {
      return;
    }
    String secret = environment.getOrDefault(variable, "").strip();
    String file = environment.getOrDefault(variable + "_FILE", "").strip();
    if (!secret.isEmpty()) {
      given.put(keys.apiKey().name(), new Given(secret, variable));
    } else if (!file.isEmpty()) {
      String where = variable + "_FILE";
      given.put(keys.apiKey().name(), new Given(files.read(keys.apiKey(), file, where), where));
    }
  }

  /** Refuses an unknown level: the logging library would read it as the loudest one. */
  private void requireLogLevel() {
    String level = environment.getOrDefault("HOLDFAST_LOG_LEVEL", "warn");
    if (!level.isBlank() && !LOG_LEVELS.contains(level.toLowerCase(Locale.ROOT))) {
      throw new ConfigException(
          "HOLDFAST_LOG_LEVEL: \"%s\" is no level; allowed: %s"
              .formatted(level, String.join(", ", LOG_LEVELS)));
    }
  }

  private Map<String, Given> fromEnvironment() {
    Map<String, Key<?>> byVariable =
        Keys.ALL.stream()
            .filter(key -> !ProviderKeys.isAny(key))
            .collect(Collectors.toMap(Key::environmentName, key -> key));
    Map<String, Given> given = new HashMap<>();
    for (Map.Entry<String, String> variable : environment.entrySet()) {
      String name = variable.getKey();
      if (!name.startsWith(PREFIX)
          || OTHER_VARIABLES.contains(name)
          || isServiceLink(name, variable.getValue())
          || variable.getValue().isBlank()) {
        continue;
      }
      Key<?> key = ofVariable(name, byVariable).orElse(null);
      if (key == null) {
        throw new ConfigException(
            ("unknown variable %s in the environment; the nearest known one is %s; all:"
                    + " holdfast help config")
                .formatted(
                    name, NearestName.of(name, ProviderKeys.near(name, byVariable.keySet()))));
      }
      given.put(key.name(), new Given(variable.getValue(), name));
    }
    return given;
  }

  private static boolean isServiceLink(String name, String value) {
    return SERVICE_LINK.matcher(name).matches()
        || (name.endsWith("_PORT") && SERVICE_ADDRESS.matcher(value).matches());
  }

  /** Returns the key of a variable, also of one that names the file of another variable's value. */
  private static Optional<Key<?>> ofVariable(String name, Map<String, Key<?>> byVariable) {
    return Optional.<Key<?>>ofNullable(byVariable.get(name))
        .or(() -> ProviderKeys.findVariable(name))
        .or(
            () ->
                SecretFiles.variableOf(name)
                    .flatMap(value -> ofVariable(value, byVariable))
                    .filter(Key::mayHoldSecret)
                    .map(SecretFiles::keyOfFile));
  }

  private Map<String, Given> fromFile(@Nullable Path explicit, SecretFiles files) {
    String variable = environment.getOrDefault("HOLDFAST_CONFIG", "");
    if (explicit != null) {
      return read(files.add(directory.resolve(explicit)));
    }
    if (!variable.isBlank()) {
      return read(files.add(directory.resolve(variable)));
    }
    if (isHere(FILE_NAME)) {
      return read(directory.resolve(FILE_NAME));
    }
    if (isHere(MISNAMED)) {
      throw new ConfigException(
          "%s is not read: rename it to %s, or name it with --config"
              .formatted(MISNAMED, FILE_NAME));
    }
    return Map.of();
  }

  private boolean isHere(String name) {
    return Files.exists(directory.resolve(name), LinkOption.NOFOLLOW_LINKS);
  }

  private static Map<String, Given> read(Path file) {
    String name = String.valueOf(file.getFileName());
    Object document = parse(file, name);
    if (document == null) {
      return Map.of();
    }
    if (document instanceof Map<?, ?> map) {
      return new FileKeys(name).flatten(map);
    }
    String what = document instanceof List ? "a list" : "one value";
    throw new ConfigException(
        "%s: is %s; expected keys and values, as in \"worker:\" and \"  concurrency: 10\""
            .formatted(name, what));
  }

  private static @Nullable Object parse(Path file, String name) {
    try {
      return YamlText.parse(FileProblem.text(file));
    } catch (IllegalArgumentException e) {
      throw new ConfigException(name + ": " + e.getMessage(), e);
    } catch (MalformedInputException e) {
      throw new ConfigException(name + ": is not UTF-8 text", e);
    } catch (IOException e) {
      throw new ConfigException(
          "cannot read the configuration file %s: %s; check --config and HOLDFAST_CONFIG"
              .formatted(file, FileProblem.of(file.toString(), e)),
          e);
    }
  }
}
