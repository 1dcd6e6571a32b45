package dev.holdfast.web;

import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.Transactions;
import dev.holdfast.postgres.batch.PostgresBatchDesk;
import dev.holdfast.postgres.batch.PostgresReleaseDesk;
import dev.holdfast.postgres.inbox.PayloadLimits;
import dev.holdfast.postgres.inbox.PostgresDesignStore;
import dev.holdfast.postgres.inbox.PostgresLimitDesk;
import dev.holdfast.postgres.inbox.PostgresLoginKey;
import dev.holdfast.postgres.inbox.PostgresRequestAnswers;
import dev.holdfast.postgres.inbox.PostgresSpendingDesk;
import dev.holdfast.postgres.inbox.PostgresTicketDesk;
import dev.holdfast.postgres.inbox.PostgresTicketInbox;
import dev.holdfast.postgres.read.PostgresFigureReader;
import dev.holdfast.postgres.read.PostgresTicketFeeds;
import dev.holdfast.postgres.read.PostgresTicketReader;
import dev.holdfast.postgres.schedule.PostgresScheduleDesk;
import dev.holdfast.postgres.session.PostgresJournalReader;
import dev.holdfast.retry.Sleeper;
import dev.holdfast.web.access.Access;
import dev.holdfast.web.access.AccessToken;
import dev.holdfast.web.access.OtherLogins;
import dev.holdfast.web.access.Role;
import dev.holdfast.web.port.HttpPort;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.List;
import javax.sql.DataSource;

/** What tests of the web surface are given: the real ports on a database, and tokens. */
final class WebFixture {
  /** Nobody's in particular. */
  static final String OPERATOR = "an-operators-secret";

  /** Of ann, an operator. */
  static final String ANN = "the-secret-of-ann-alone";

  static final String VIEWER = "a-secret-of-a-viewer";

  /** Of a start without configured ones. */
  static final String LOCAL = "the-token-of-this-start";

  static final int MAX_PAYLOAD = 100_000;

  private WebFixture() {}

  static WebPorts ports(DataSource database) {
    return ports(database, new Transactions(database));
  }

  private static WebPorts ports(DataSource database, Transactions transactions) {
    Sql sql = new Sql("holdfast");
    PostgresRequestAnswers answers = new PostgresRequestAnswers(database, "holdfast");
    return new WebPorts(
        new PostgresTicketReader(transactions, sql),
        new PostgresTicketDesk(transactions, sql, MAX_PAYLOAD),
        new PostgresTicketInbox(transactions, sql, PayloadLimits.of(MAX_PAYLOAD)),
        new PostgresSpendingDesk(database, "holdfast"),
        new PostgresDesignStore(database),
        new PostgresScheduleDesk(transactions, sql),
        new PostgresBatchDesk(transactions, sql),
        new PostgresReleaseDesk(transactions, sql),
        new PostgresLimitDesk(transactions, sql),
        new PostgresJournalReader(database, "holdfast"),
        new PostgresTicketFeeds(database, "holdfast"),
        new PostgresFigureReader(database, "holdfast"),
        answers,
        (key, deed) ->
            answers
                .once(key, one -> deed.apply(ports(database, one)))
                .map(body -> new WebPorts.Once.Told(body, false))
                .orElseGet(
                    () ->
                        new WebPorts.Once.Told(
                            String.valueOf(answers.find(key).orElseThrow().answer()), true)));
  }

  static List<AccessToken> tokens() {
    return List.of(
        new AccessToken(Role.OPERATOR, null, hash(OPERATOR)),
        new AccessToken(Role.OPERATOR, "ann", hash(ANN)),
        new AccessToken(Role.VIEWER, null, hash(VIEWER)));
  }

  /** Without configured tokens; bearers of {@link #LOCAL} act in this name. */
  static Access local(String person) {
    return Access.ofThisMachine(LOCAL, person, "/here", InstantSource.system());
  }

  static Access bearers() {
    return Access.of(tokens(), OtherLogins.NONE, () -> "a key for tests", InstantSource.system());
  }

  static Access bearers(DataSource database) {
    return Access.of(
        tokens(),
        OtherLogins.NONE,
        new PostgresLoginKey(database, "holdfast")::secret,
        InstantSource.system());
  }

  /** A server with the API, for bearers of the tokens above. */
  static WebServer server(DataSource database) {
    return server(bearers(database), api(ports(database)));
  }

  static ApiRoutes api(WebPorts ports) {
    return new ApiRoutes(ports, new BulkActions(), new EventHub(ports.feeds(), Sleeper.REAL));
  }

  /** Without groups it has the login alone. */
  static WebServer server(Access access, Routes... groups) {
    Routes login = routes -> {};
    return WebServer.start(
        HttpPort.bind("127.0.0.1", 0),
        MAX_PAYLOAD,
        access,
        Pages.plain(),
        groups.length == 0 ? List.of(login) : List.of(groups));
  }

  private static String hash(String secret) {
    return HexFormat.of().formatHex(AccessToken.hash(secret));
  }
}
