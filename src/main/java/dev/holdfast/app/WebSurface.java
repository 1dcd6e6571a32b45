package dev.holdfast.app;

import dev.holdfast.config.Settings;
import dev.holdfast.config.WebSettings;
import dev.holdfast.config.WebhookSettings;
import dev.holdfast.postgres.PostgresConsoleReader;
import dev.holdfast.postgres.PostgresDesignShelf;
import dev.holdfast.postgres.PostgresHoldNotices;
import dev.holdfast.postgres.PostgresJournalReader;
import dev.holdfast.postgres.PostgresLoginKey;
import dev.holdfast.postgres.PostgresTicketDesk;
import dev.holdfast.postgres.PostgresTicketFeeds;
import dev.holdfast.postgres.PostgresTicketInbox;
import dev.holdfast.postgres.PostgresTicketReader;
import dev.holdfast.retry.Sleeper;
import dev.holdfast.web.Access;
import dev.holdfast.web.AccessToken;
import dev.holdfast.web.ApiRoutes;
import dev.holdfast.web.BulkActions;
import dev.holdfast.web.EventHub;
import dev.holdfast.web.HealthRoutes;
import dev.holdfast.web.HoldWebhook;
import dev.holdfast.web.Pages;
import dev.holdfast.web.Role;
import dev.holdfast.web.Routes;
import dev.holdfast.web.WebPorts;
import dev.holdfast.web.WebServer;
import dev.holdfast.web.WebhookReceiver;
import dev.holdfast.web.console.Console;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The HTTP port of a worker, or of the console alone. */
final class WebSurface implements AutoCloseable {
  private static final String SCHEMA = "holdfast";
  private static final Duration WEBHOOK_POLL = Duration.ofSeconds(1);

  private final WebServer server;
  private final EventHub events;
  private final BulkActions bulk;
  private final @Nullable HoldWebhook webhook;

  private WebSurface(
      WebServer server, EventHub events, BulkActions bulk, @Nullable HoldWebhook webhook) {
    this.server = server;
    this.events = events;
    this.bulk = bulk;
    this.webhook = webhook;
  }

  /**
   * @param console whether the API and the pages are served beside health and metrics
   * @throws dev.holdfast.web.PortTakenException if somebody else listens there
   */
  static WebSurface start(
      Settings settings, DataSource database, HealthRoutes health, boolean console) {
    WebSettings web = settings.web();
    WebPorts ports = ports(settings, database);
    EventHub events = new EventHub(ports.feeds(), Sleeper.REAL);
    BulkActions bulk = new BulkActions();
    List<Routes> groups = new ArrayList<>(List.of(health));
    Pages pages = Pages.plain();
    if (console) {
      Console people = new Console(ports, new PostgresConsoleReader(database), bulk);
      groups.add(new ApiRoutes(ports, bulk, events));
      groups.add(people);
      pages = people;
    }
    WebServer server =
        WebServer.start(
            new WebServer.Socket(web.host(), web.port(), settings.payloadMaxBytes()),
            access(web, database),
            pages,
            groups);
    return new WebSurface(server, events, bulk, webhook(web.webhook(), database));
  }

  int port() {
    return server.port();
  }

  /** Who still watches is sent away first, or would be waited for. */
  @Override
  public void close() {
    if (webhook != null) {
      webhook.close();
    }
    events.close();
    bulk.close();
    server.close();
  }

  private static @Nullable HoldWebhook webhook(
      @Nullable WebhookSettings configured, DataSource database) {
    if (configured == null) {
      return null;
    }
    WebhookReceiver receiver =
        new WebhookReceiver(
            configured.address(),
            configured.secret(),
            configured.timeout(),
            configured.giveUpAfter(),
            configured.consoleAddress());
    return HoldWebhook.start(
        receiver,
        new PostgresHoldNotices(database, SCHEMA),
        Sleeper.REAL,
        InstantSource.system(),
        WEBHOOK_POLL);
  }

  private static WebPorts ports(Settings settings, DataSource database) {
    return new WebPorts(
        new PostgresTicketReader(database),
        new PostgresTicketDesk(database, SCHEMA, settings.payloadMaxBytes()),
        new PostgresTicketInbox(database, SCHEMA, settings.payloadMaxBytes()),
        new PostgresDesignShelf(database),
        new PostgresJournalReader(database, SCHEMA),
        new PostgresTicketFeeds(database, SCHEMA));
  }

  private static Access access(WebSettings web, DataSource database) {
    if (web.tokens().isEmpty()) {
      return Access.ofThisMachine(System.getProperty("user.name", "unknown"))
          .limitedTo(web.requestsPerMinute());
    }
    return Access.ofBearers(
            web.tokens().stream().map(WebSurface::token).toList(),
            new PostgresLoginKey(database, SCHEMA)::secret,
            InstantSource.system())
        .limitedTo(web.requestsPerMinute());
  }

  private static AccessToken token(WebSettings.Token token) {
    Role role = token.role() == WebSettings.Role.OPERATOR ? Role.OPERATOR : Role.VIEWER;
    return new AccessToken(role, token.name(), token.sha256());
  }
}
