package dev.holdfast.chaos;

import java.time.Duration;

/** The network between all workers and the server is cut, for longer than a lease. */
final class NetworkCell implements Cell {
  private static final Duration LEASE = Duration.ofSeconds(5);

  @Override
  public void prepare(Chaos chaos) throws Exception {
    chaos.relay();
  }

  @Override
  public void rage(Chaos chaos) throws Exception {
    Relay relay = chaos.relay();
    chaos.faults.during(
        "network CUT",
        () -> {
          relay.mode(Relay.Mode.CUT);
          Duration length = chaos.options.length();
          chaos.pass(length.compareTo(LEASE) > 0 ? length : LEASE.plusSeconds(1));
          relay.mode(Relay.Mode.PASS);
        });
  }
}
