package dev.holdfast.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The rounds of one peer in the drain. */
record PeerRuns(Peer peer, int jobs, List<Double> rates) {
  /**
   * The number that divides the tickets for a peer's jobs: peers are much slower, and their rate is
   * as steady with fewer jobs.
   */
  private static final int SHARE = 4;

  /**
   * @param tickets the tickets that Holdfast drains in a round
   */
  static List<PeerRuns> of(List<Peer> peers, int tickets) {
    int jobs = Math.max(1, tickets / SHARE);
    return peers.stream().map(peer -> new PeerRuns(peer, jobs, new ArrayList<>())).toList();
  }

  /** Works as many jobs as Holdfast and the probe work tickets before anything is measured. */
  void warmUp(Lab lab) throws InterruptedException {
    int warmUp = lab.options().warmUp();
    if (warmUp > 0) {
      lab.say("warming up %s with %d jobs ...", peer.name(), warmUp);
      peer.drain(warmUp);
    }
  }

  void round(Lab lab) throws InterruptedException {
    rates.add(peer.drain(jobs));
    lab.say("  %s %,.0f/s", peer.name(), rates.getLast());
  }

  /**
   * @param holdfast Holdfast's rates in the same rounds
   */
  Figure figure(List<Double> holdfast, BenchOptions options) {
    return Figure.of("the same beside " + peer.name(), "tickets/s", holdfast)
        .beside(peer.name(), rates)
        .judgedBy(peer.bar(), options)
        .noting(
            String.format(
                Locale.ROOT, "%s: %s; %,d jobs a round", peer.name(), peer.settings(), jobs));
  }
}
