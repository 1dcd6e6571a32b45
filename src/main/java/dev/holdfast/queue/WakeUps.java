package dev.holdfast.queue;

/**
 * Hints from the database that something changed. Polling is the truth: hints may be lost, doubled
 * or late.
 */
public interface WakeUps extends AutoCloseable {
  /** Called on the listening thread; must not block for longer than a claim takes. */
  interface Listener {
    /**
     * A ticket became claimable.
     *
     * @param queue its queue; empty when listening begins: then it may be any queue
     * @param here claims on the listening connection, on this thread and while this call lasts.
     *     This is the fastest way to the ticket, because that connection's backend is awake
     */
    void ready(String queue, TicketClaims here);

    /** A person revoked some running ticket: heartbeat now to learn which. */
    void revoked();
  }

  /** Starts listening on a thread of its own, for ever, over lost connections. */
  void start(Listener listener);

  /**
   * Returns true once a notification that this process sent came back to it; false again while the
   * connection is lost (they do not come through a transaction pooler).
   */
  boolean proven();

  /** Ends the listening and gives the connection back, with a word to the database. */
  @Override
  void close();
}
