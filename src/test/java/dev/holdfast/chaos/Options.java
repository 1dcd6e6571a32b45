package dev.holdfast.chaos;

import java.time.Duration;
import java.util.Locale;

/**
 * How a cell is run.
 *
 * @param length how long things go wrong
 * @param baseline how long nothing does before
 * @param perSecond tickets that are enqueued
 * @param real whether the time of a provider's outage and of deployments is not compressed
 * @param without the protection that is taken away, so that the ledger has something to find
 */
record Options(
    String cell,
    long seed,
    Duration length,
    Duration baseline,
    double perSecond,
    boolean real,
    Protection without) {

  /**
   * From {@code -Dchaos.seconds}, {@code -Dchaos.seed}, {@code -Dchaos.rate}, {@code -Dchaos.real},
   * {@code -Dchaos.without}.
   */
  static Options of(String cell) {
    long seconds = Long.getLong("chaos.seconds", 3);
    return new Options(
        cell,
        Long.getLong("chaos.seed", 20261123),
        Duration.ofSeconds(seconds),
        Duration.ofSeconds(Math.clamp(seconds / 2, 3, 30)),
        Integer.getInteger("chaos.rate", 20),
        Boolean.getBoolean("chaos.real"),
        Protection.valueOf(
            System.getProperty("chaos.without", "nothing").toUpperCase(Locale.ROOT)));
  }

  String command() {
    String protection =
        without == Protection.NOTHING
            ? ""
            : " -Dchaos.without=" + without.name().toLowerCase(Locale.ROOT);
    return "mvn -Pchaos verify -Dchaos.cell=%s -Dchaos.seconds=%s -Dchaos.rate=%s -Dchaos.seed=%s%s%s"
        .formatted(
            cell,
            length.toSeconds(),
            Math.round(perSecond),
            seed,
            real ? " -Dchaos.real=true" : "",
            protection);
  }
}
