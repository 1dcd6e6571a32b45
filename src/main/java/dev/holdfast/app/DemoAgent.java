package dev.holdfast.app;

import dev.holdfast.config.ProviderEntry;
import dev.holdfast.config.ProviderType;
import dev.holdfast.config.Settings;
import dev.holdfast.llm.Prices;
import dev.holdfast.llm.ProviderSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The agent of the demo: real tools on real files. Its model is a script, so that no key is needed.
 */
final class DemoAgent {
  static final String JOB = "agent";

  static final String PAYLOAD =
      "{\"prompt\": \"sh check.sh fails. Find out why, fix it, and show that it passes.\"}";

  /** The name of the provider; it says what the provider is, wherever it is shown. */
  private static final String PROVIDER = "scripted";

  private static final List<String> SAMPLE = List.of("total.sh", "check.sh", "amounts.txt");
  private static final String SCRIPT = "agent-script.yaml";

  private DemoAgent() {}

  /** Puts what it works on, and what its model says, beside the other samples. */
  static void install(Path directory) throws IOException {
    Files.writeString(directory.resolve(SCRIPT), DemoJobs.resource(SCRIPT));
    Path sample = Files.createDirectories(directory.resolve("agent"));
    for (String name : SAMPLE) {
      Files.writeString(sample.resolve(name), DemoJobs.resource("agent/" + name));
    }
  }

  /** Returns the settings with the provider that plays the script. */
  static Settings with(Settings settings, Path home) {
    ProviderEntry scripted =
        new ProviderEntry(
            ProviderType.SCRIPTED,
            new ProviderSettings(PROVIDER, null, List.of(), Prices.NONE),
            Optional.of(home.resolve("demo").resolve(SCRIPT)));
    return settings.withAgents(settings.agents().withProvider(scripted));
  }
}
