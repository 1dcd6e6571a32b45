package dev.holdfast.app;

import dev.holdfast.config.Settings;
import dev.holdfast.config.WebSettings;
import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.Transactions;
import dev.holdfast.postgres.batch.PostgresBatchDesk;
import dev.holdfast.postgres.batch.PostgresReleaseDesk;
import dev.holdfast.postgres.inbox.PostgresDesignStore;
import dev.holdfast.postgres.inbox.PostgresLimitDesk;
import dev.holdfast.postgres.inbox.PostgresLoginKey;
import dev.holdfast.postgres.inbox.PostgresRequestAnswers;
import dev.holdfast.postgres.inbox.PostgresSpendingDesk;
import dev.holdfast.postgres.inbox.PostgresTicketDesk;
import dev.holdfast.postgres.inbox.PostgresTicketInbox;
import dev.holdfast.postgres.read.PostgresConsoleReader;
import dev.holdfast.postgres.read.PostgresFigureReader;
import dev.holdfast.postgres.read.PostgresPeopleNotices;
import dev.holdfast.postgres.read.PostgresTicketFeeds;
import dev.holdfast.postgres.read.PostgresTicketReader;
import dev.holdfast.postgres.schedule.PostgresScheduleDesk;
import dev.holdfast.postgres.session.PostgresJournalReader;
import dev.holdfast.queue.TicketBusyException;
import dev.holdfast.queue.TicketInbox;
import dev.holdfast.retry.Sleeper;
import dev.holdfast.web.ApiRoutes;
import dev.holdfast.web.BulkActions;
import dev.holdfast.web.EventHub;
import dev.holdfast.web.HealthRoutes;
import dev.holdfast.web.Pages;
import dev.holdfast.web.Routes;
import dev.holdfast.web.WebPorts;
import dev.holdfast.web.WebServer;
import dev.holdfast.web.access.Access;
import dev.holdfast.web.access.AccessToken;
import dev.holdfast.web.access.Role;
import dev.holdfast.web.console.Console;
import dev.holdfast.web.console.view.ConfiguredProvider;
import dev.holdfast.web.port.HttpPort;
import dev.holdfast.web.webhook.NoticeReceiver;
import dev.holdfast.web.webhook.NoticeWebhook;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The HTTP port of a worker, or of the console alone. */
final class WebSurface implements AutoCloseable {
  private static final String SCHEMA = "holdfast";
  private static final Duration WEBHOOK_POLL = Duration.ofSeconds(1);

  private final Settings settings;
  private final StartedParts parts = new StartedParts();
  private final HttpPort port;
  private final Traces traces;
  private final @Nullable LocalToken token;

  private WebSurface(Settings configured, @Nullable Path home, Traces traces) {
    this.traces = traces;
    this.port =
        parts.add(HttpPort.bind(configured.web().host(), configured.web().port()), HttpPort::close);
    this.token = configured.web().isLocal() ? localToken(home) : null;
    this.settings = token == null ? configured : token.hiddenBy(configured);
  }

  /**
   * Opens the port, and lets those who connect wait.
   *
   * @param home where the token of a start without configured ones is kept; null if nobody needs
   *     one
   * @param traces the traces under which tickets come in
   * @throws dev.holdfast.web.port.PortUnavailableException if the port is not available
   */
  static WebSurface bind(Settings settings, @Nullable Path home, Traces traces) {
    return new WebSurface(settings, home, traces);
  }

  private LocalToken localToken(@Nullable Path home) {
    return home == null
        ? LocalToken.toldNobody()
        : parts.add(LocalToken.in(home), LocalToken::close);
  }

  /** Returns the settings with the token of this start among the secrets. */
  Settings settings() {
    return settings;
  }

  /**
   * Answers from now on. This is apart from {@link #bind}, because it is known long before whether
   * the port is available.
   *
   * @param console whether the API and the pages are served beside health and metrics
   * @param sandbox how programs of tools are confined here, for the console; may give nothing
   */
  void serve(Pools pools, HealthRoutes health, boolean console, Supplier<String> sandbox) {
    DataSource database = pools.web();
    WebPorts ports = ports(database, new Transactions(database));
    EventHub events = new EventHub(ports.feeds(), Sleeper.REAL);
    BulkActions bulk = new BulkActions();
    List<Routes> groups = new ArrayList<>(List.of(health));
    Pages pages = Pages.plain();
    if (console) {
      Console people =
          new Console(
              ports,
              new PostgresConsoleReader(database),
              bulk,
              new Console.Process(sandbox, providers()));
      groups.add(new ApiRoutes(ports, bulk, events));
      groups.add(people);
      pages = people;
    }
    WebSettings web = settings.web();
    Access access = access(web, database);
    if (console) {
      Logins.oidc(web.auth(), access, pages).ifPresent(groups::add);
    }
    parts.add(
        WebServer.start(port, settings.payloadMaxBytes(), access, pages, groups), WebServer::close);
    parts.add(bulk, BulkActions::close);
    // Those who still watch are sent away before the server closes; otherwise it would wait for
    // them.
    parts.add(events, EventHub::close);
    for (NoticeReceiver receiver : Receivers.of(web.notices(), settings.secrets())) {
      parts.add(tell(receiver, pools.scrapes()), NoticeWebhook::close);
    }
  }

  int port() {
    return port.number();
  }

  /** Returns the address under which this process reaches its own {@code /health/live}. */
  URI live() {
    return port.local().resolve("/health/live");
  }

  /**
   * Returns the address that people begin with: a link that logs in, or the console where tokens
   * are configured.
   */
  String entrance() {
    WebSettings web = settings.web();
    return token == null
        ? "http://" + web.host() + ":" + port() + "/"
        : token.link(web.host(), port());
  }

  /** Returns true if the token of this start is in its file. */
  boolean tokenIsKept() {
    return token != null && token.isKept();
  }

  @Override
  public void close() {
    parts.close();
  }

  private static NoticeWebhook tell(NoticeReceiver receiver, DataSource database) {
    return NoticeWebhook.start(
        receiver,
        new PostgresPeopleNotices(database, SCHEMA),
        Sleeper.REAL,
        InstantSource.system(),
        WEBHOOK_POLL);
  }

  /**
   * @param transactions transactions that may be part of another one: what a request does once
   */
  private WebPorts ports(DataSource database, Transactions transactions) {
    Sql sql = new Sql(SCHEMA);
    PostgresRequestAnswers answers = new PostgresRequestAnswers(database, SCHEMA);
    return new WebPorts(
        new PostgresTicketReader(transactions, sql),
        new PostgresTicketDesk(transactions, sql, settings.payloadMaxBytes()),
        traces.over(new PostgresTicketInbox(transactions, sql, OneShot.limits(settings))),
        new PostgresSpendingDesk(database, SCHEMA),
        new PostgresDesignStore(database),
        new PostgresScheduleDesk(transactions, sql),
        new PostgresBatchDesk(transactions, sql),
        new PostgresReleaseDesk(transactions, sql),
        new PostgresLimitDesk(transactions, sql),
        new PostgresJournalReader(database, SCHEMA),
        new PostgresTicketFeeds(database, SCHEMA),
        new PostgresFigureReader(database, SCHEMA),
        answers,
        (key, deed) -> told(answers, key, one -> deed.apply(ports(database, one))));
  }

  private static WebPorts.Once.Told told(
      PostgresRequestAnswers answers,
      TicketInbox.RequestKey key,
      Function<Transactions, String> deed) {
    return answers
        .once(key, deed)
        .map(body -> new WebPorts.Once.Told(body, false))
        .or(
            () ->
                answers
                    .find(key)
                    .map(kept -> new WebPorts.Once.Told(String.valueOf(kept.answer()), true)))
        .orElseThrow(() -> new TicketBusyException("the request is being done; ask again", null));
  }

  private List<ConfiguredProvider> providers() {
    return settings.agents().providers().stream()
        .map(
            each ->
                ConfiguredProvider.of(each.type().name().toLowerCase(Locale.ROOT), each.settings()))
        .toList();
  }

  private Access access(WebSettings web, DataSource database) {
    Access access =
        token != null
            ? token.access()
            : Access.of(
                web.tokens().stream().map(WebSurface::token).toList(),
                Logins.of(web.auth()),
                new PostgresLoginKey(database, SCHEMA)::secret,
                InstantSource.system());
    return access
        .limitedTo(web.limits().requestsPerMinute())
        .answeringAtOnce(web.limits().concurrentRequests())
        .reachedAt(web.notices().consoleAddress());
  }

  private static AccessToken token(WebSettings.Token token) {
    Role role = token.role() == WebSettings.Role.OPERATOR ? Role.OPERATOR : Role.VIEWER;
    return new AccessToken(role, token.name(), token.sha256());
  }
}
