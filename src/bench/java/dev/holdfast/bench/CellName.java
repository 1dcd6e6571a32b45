package dev.holdfast.bench;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** The cells that can be measured. */
public enum CellName {
  DRAIN("no-op tickets as fast as one worker can"),
  LATENCY("from an enqueuer's commit to the handler's first line, idle worker"),
  ENQUEUE("tickets in single commits and in bulk"),
  IDLE("what one worker with default settings asks of the database while there is nothing to do"),
  BACKLOG("the drain's rate with a million ready, and with a million finished tickets"),
  DEFERRED(
      "the drain's rate beside a million tickets of higher priority that back off or are held"),
  SNAPSHOT("the drain's rate while another session keeps an old snapshot open"),
  INFLIGHT("tickets that wait 200 ms, thousands at once, in a process of their own"),
  FAILURES("tickets that fail once and then succeed"),
  ONE_BY_ONE("claims of one ticket at a time on 16 connections"),
  FEATURES("what limits, deadlines and followers cost the drain while nobody uses them"),
  KEYS("the drain's rate with concurrency keys, one ticket at a time of each"),
  RATES("the drain's rate beside queues whose tickets wait for their rates"),
  TENANTS("how long one tenant's flood keeps the tickets of 999 others waiting"),
  CHAINS("the drain's rate where each ticket waits for the one before it"),
  FAN_OUT("a workflow of one ticket, then thousands, then one"),
  BLOCKED("the drain's rate beside a million tickets that wait for others"),
  START("from the start of the program to ready to claim"),
  CONSOLE("the console's pages with 100,000 held tickets of 300 errors");

  private final String what;

  CellName(String what) {
    this.what = what;
  }

  /** Says in a few words what it measures. */
  public String what() {
    return what;
  }

  /** Returns the name on the command line. */
  public String wireName() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  public static Optional<CellName> ofWireName(String name) {
    return Arrays.stream(values()).filter(cell -> cell.wireName().equals(name)).findFirst();
  }
}
