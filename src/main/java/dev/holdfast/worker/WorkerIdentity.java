package dev.holdfast.worker;

import dev.holdfast.queue.WorkerRegistry;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HexFormat;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The identity of a worker: a new one at every start, so that a restarted one never takes its
 * predecessor's leases for its own.
 */
public record WorkerIdentity(String id, String host, long pid, String version) {
  /** Makes an identity with the version of this program. */
  public static WorkerIdentity create() {
    String version = WorkerIdentity.class.getPackage().getImplementationVersion();
    return create(version == null ? "development" : version);
  }

  public static WorkerIdentity create(String version) {
    String host = hostName();
    long pid = ProcessHandle.current().pid();
    byte[] random = new byte[4];
    ThreadLocalRandom.current().nextBytes(random);
    return new WorkerIdentity(
        host + "-" + pid + "-" + HexFormat.of().formatHex(random), host, pid, version);
  }

  private static String hostName() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "unknown-host";
    }
  }

  WorkerRegistry.Registration registration(WorkerSettings settings, Set<String> kinds) {
    return new WorkerRegistry.Registration(
        id, host, pid, version, settings.queues(), kinds, settings.concurrency());
  }
}
