package dev.holdfast.tool.sandbox;

import dev.holdfast.tool.sandbox.SandboxProbe.Broken;
import dev.holdfast.tool.sandbox.SandboxProbe.Found;
import dev.holdfast.tool.sandbox.SandboxProbe.Hindered;
import dev.holdfast.tool.sandbox.SandboxProbe.Works;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;

/** The sandboxes for tools' programs on this worker. Thread-safe. */
public final class Sandboxes {
  private final SandboxMode mode;
  private final Map<String, String> environment;
  private final List<Path> hidden;
  private final Map<Network.Only, AllowListProxy> proxies = new ConcurrentHashMap<>();
  private volatile CompletableFuture<Found> probe = new CompletableFuture<>();

  /** The hindrance at the last try to start a sandbox. */
  private volatile Optional<Hindered> hindrance = Optional.empty();

  private Sandboxes(SandboxMode mode, Map<String, String> environment, List<Path> hidden) {
    this.mode = mode;
    this.environment = Map.copyOf(environment);
    this.hidden = HiddenPaths.of(environment, hidden);
  }

  /**
   * Begins to find out what works; does not wait for it.
   *
   * @param environment the worker's own
   * @param hidden more than the usual places of secrets, which confined programs find empty
   */
  public static Sandboxes of(SandboxMode mode, Map<String, String> environment, List<Path> hidden) {
    Sandboxes sandboxes = new Sandboxes(mode, environment, hidden);
    if (mode != SandboxMode.OFF) {
      Thread.ofVirtual().name("holdfast-sandbox-probe").start(sandboxes::find);
    }
    return sandboxes;
  }

  /**
   * Returns a sandbox that was seen to start a moment ago. So a caller that asks a model next does
   * not pay in vain.
   *
   * @throws SandboxMissingException if programs must be confined and cannot be
   * @throws SandboxFailedException if none can be started now, or nobody can say so
   * @throws dev.holdfast.process.NotPreparedException if this machine has no room for any program
   */
  public Sandbox get(Network network) throws InterruptedException {
    if (mode == SandboxMode.OFF) {
      return new Sandbox.None("tools.sandbox is off");
    }
    return switch (latest()) {
      case Works works -> {
        hindrance = SandboxProbe.start(sandbox(works, Network.NONE), environment);
        if (hindrance.isPresent()) {
          throw hindrance.get().refusal();
        }
        yield sandbox(works, network);
      }
      case Hindered hindered -> throw hindered.refusal();
      case Broken broken when mode == SandboxMode.REQUIRED ->
          throw new SandboxMissingException(
              "tools.sandbox is required and " + broken.problem() + ": " + broken.remedy());
      case Broken broken -> new Sandbox.None(broken.problem());
    };
  }

  /**
   * Returns the existing places of secrets, by their real paths, even where nothing is confined.
   */
  public Set<Path> secrets() {
    Set<Path> secrets = new HashSet<>();
    for (Path path : hidden) {
      try {
        secrets.add(path.toRealPath());
      } catch (IOException e) {
        // It does not exist, or not for this user, so nothing of it can be copied either.
        continue;
      }
    }
    return secrets;
  }

  private Bubblewrap sandbox(Works works, Network network) {
    return new Bubblewrap(
        works.program(), works.isolation(), hidden, List.of(), network, proxy(network));
  }

  private void find() {
    try {
      Found found = SandboxProbe.run(environment);
      if (found instanceof Works works) {
        hindrance = SandboxProbe.start(sandbox(works, Network.NONE), environment);
      }
      probe.complete(found);
    } catch (InterruptedException | RuntimeException e) {
      probe.completeExceptionally(e);
    }
  }

  private Optional<Path> proxy(Network network) {
    return network instanceof Network.Only only
        ? Optional.of(proxies.computeIfAbsent(only, Sandboxes::open).directory())
        : Optional.empty();
  }

  private static AllowListProxy open(Network.Only only) {
    try {
      return AllowListProxy.open(only.allowed());
    } catch (IOException e) {
      throw new UncheckedIOException("the sandbox's proxy cannot be opened", e);
    }
  }

  /**
   * Probes again where needed: the person who releases held tickets may have installed since what
   * was missing at the start.
   */
  private Found latest() throws InterruptedException {
    Found found = found();
    boolean again =
        found instanceof Hindered || (found instanceof Broken && mode == SandboxMode.REQUIRED);
    if (again) {
      found = SandboxProbe.run(environment);
      probe = CompletableFuture.completedFuture(found);
    }
    return found;
  }

  private Found found() throws InterruptedException {
    try {
      return probe.get();
    } catch (ExecutionException e) {
      throw new IllegalStateException("the probe of the sandbox broke", e.getCause());
    }
  }

  /** Describes the sandbox of this machine; waits for the probe, which takes moments. */
  public SandboxState state() {
    if (mode == SandboxMode.OFF) {
      return new SandboxState(
          SandboxState.Level.OFF, "off: programs of tools can do what the worker's user can", "");
    }
    return switch (probe.join()) {
      case Works works ->
          hindrance
              .map(Sandboxes::refused)
              .orElse(
                  new SandboxState(
                      SandboxState.Level.CONFINED, "bubblewrap works" + strength(works), ""));
      case Hindered hindered -> refused(hindered);
      case Broken broken ->
          new SandboxState(
              mode == SandboxMode.REQUIRED
                  ? SandboxState.Level.REFUSED
                  : SandboxState.Level.UNCONFINED,
              "programs of tools " + consequence(broken),
              broken.remedy());
    };
  }

  private static SandboxState refused(Hindered hindered) {
    return new SandboxState(
        SandboxState.Level.REFUSED,
        "programs of tools are refused: " + hindered.problem(),
        hindered.remedy());
  }

  private String strength(Works works) {
    String required = mode == SandboxMode.PREFERRED ? ", and is preferred" : ", and is required";
    return required + (works.isolation().isEmpty() ? " (without a user namespace)" : "");
  }

  private String consequence(Broken broken) {
    return (mode == SandboxMode.REQUIRED ? "are refused: " : "are not confined: ")
        + broken.problem();
  }
}
