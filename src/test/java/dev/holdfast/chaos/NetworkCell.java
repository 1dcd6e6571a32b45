package dev.holdfast.chaos;

import java.time.Duration;

/** The network between all workers and the server, gone for longer than a lease. */
record NetworkCell(Relay.Mode mode) implements Cell {
  private static final Duration LEASE = Duration.ofSeconds(5);

  @Override
  public void prepare(Chaos chaos) throws Exception {
    chaos.relay();
  }

  @Override
  public void rage(Chaos chaos) throws Exception {
    Relay relay = chaos.relay();
    chaos.faults.during(
        "network " + mode,
        () -> {
          relay.mode(mode);
          Duration length = chaos.options.length();
          chaos.pass(length.compareTo(LEASE) > 0 ? length : LEASE.plusSeconds(1));
          // Whoever was silent for so long has been forgotten by the other side.
          relay.drop();
          relay.mode(Relay.Mode.PASS);
        });
  }
}
