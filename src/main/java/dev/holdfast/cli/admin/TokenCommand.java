package dev.holdfast.cli.admin;

import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.JsonOutput;
import dev.holdfast.cli.output.UsageException;
import dev.holdfast.cli.root.HoldfastCommand;
import dev.holdfast.config.WebSettings;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code holdfast token}: makes a new token, or the hash of one that it reads. */
@Command(
    name = "token",
    description =
        "Make a token for the API and the console, with the entry for web.tokens that lets its"
            + " bearer in. Only the token's hash is in that entry; the token is shown this once.",
    footer = {
      "",
      "Examples:",
      "  holdfast token --name ann",
      "  holdfast token --viewer --json",
      "  echo \"$TOKEN\" | holdfast token --stdin --name ann"
    })
public final class TokenCommand implements Callable<Integer> {
  private static final int RANDOM_BYTES = 32;
  private static final int SHORTEST = 16;

  private final HoldfastCommand root;

  @Option(
      names = "--name",
      paramLabel = "NAME",
      description = "Whose it is: its actions are recorded under this name.")
  private @Nullable String name;

  @Option(names = "--viewer", description = "A token that may only read.")
  private boolean viewer;

  @Option(
      names = "--stdin",
      description = "Read a token of your own from standard input instead of making one.")
  private boolean read;

  @Option(names = "--json", description = "Print a JSON object: token and entry.")
  private boolean json;

  public TokenCommand(HoldfastCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() throws IOException {
    if (name != null && !name.matches("[A-Za-z0-9][A-Za-z0-9._@-]{0,63}")) {
      throw new UsageException(
          "--name: 1 to 64 letters, digits and . _ @ -, the first a letter or digit");
    }
    String token = read ? given() : made();
    String entry =
        (viewer ? "viewer" : "operator")
            + (name == null ? "" : "/" + name)
            + ":"
            + WebSettings.Token.hashed(token);
    if (json) {
      Map<String, @Nullable Object> object = new LinkedHashMap<>();
      object.put("token", read ? null : token);
      object.put("entry", entry);
      root.terminal().line(JsonOutput.of(object));
    } else {
      if (!read) {
        root.terminal().line("token:                " + token);
      }
      root.terminal().line("entry for web.tokens: " + entry);
    }
    return ExitCode.DONE;
  }

  private static String made() {
    byte[] random = new byte[RANDOM_BYTES];
    new SecureRandom().nextBytes(random);
    return "hf_" + Base64.getUrlEncoder().withoutPadding().encodeToString(random);
  }

  private String given() throws IOException {
    String line = root.terminal().reader().readLine();
    if (line == null || !line.strip().matches("\\S{" + SHORTEST + ",}")) {
      throw new UsageException(
          "--stdin: a token of at least " + SHORTEST + " characters without blanks");
    }
    return line.strip();
  }
}
