package shop;

import dev.holdfast.worker.HandlerResult;
import dev.holdfast.worker.TicketContext;

/** Sends mails. Its server is asked for by the tests; yours would be a real one. */
public final class Mailer {
  /** A server that takes mails. */
  public interface Server {
    void send(String payload) throws ServerBusyException;
  }

  /** Try again later. */
  public static final class ServerBusyException extends Exception {
    private static final long serialVersionUID = 1;

    public ServerBusyException() {
      super("429 Too Many Requests");
    }
  }

  private final Server server;

  public Mailer(Server server) {
    this.server = server;
  }

  /** Works a ticket of the kind email. */
  public HandlerResult work(TicketContext ticket) throws ServerBusyException {
    server.send(ticket.payload());
    return HandlerResult.done("{\"sent\": true}");
  }
}
