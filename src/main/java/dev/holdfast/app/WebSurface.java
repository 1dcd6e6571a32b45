package dev.holdfast.app;

import dev.holdfast.config.Settings;
import dev.holdfast.config.WebSettings;
import dev.holdfast.postgres.PostgresConsoleReader;
import dev.holdfast.postgres.PostgresDesignShelf;
import dev.holdfast.postgres.PostgresJournalReader;
import dev.holdfast.postgres.PostgresLoginKey;
import dev.holdfast.postgres.PostgresTicketDesk;
import dev.holdfast.postgres.PostgresTicketFeed;
import dev.holdfast.postgres.PostgresTicketInbox;
import dev.holdfast.postgres.PostgresTicketReader;
import dev.holdfast.web.Access;
import dev.holdfast.web.AccessToken;
import dev.holdfast.web.ApiRoutes;
import dev.holdfast.web.HealthRoutes;
import dev.holdfast.web.Pages;
import dev.holdfast.web.Role;
import dev.holdfast.web.Routes;
import dev.holdfast.web.WebPorts;
import dev.holdfast.web.WebServer;
import dev.holdfast.web.console.Console;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** The HTTP port of a worker, or of the console alone. */
final class WebSurface {
  private static final String SCHEMA = "holdfast";

  private WebSurface() {}

  /**
   * @param console whether the API and the pages are served beside health and metrics
   * @throws dev.holdfast.web.PortTakenException if somebody else listens there
   */
  static WebServer start(
      Settings settings, DataSource database, HealthRoutes health, boolean console) {
    WebSettings web = settings.web();
    List<Routes> groups = new ArrayList<>(List.of(health));
    Pages pages = Pages.plain();
    if (console) {
      WebPorts ports = ports(settings, database);
      Console people = new Console(ports, new PostgresConsoleReader(database));
      groups.add(new ApiRoutes(ports));
      groups.add(people);
      pages = people;
    }
    return WebServer.start(
        new WebServer.Socket(web.host(), web.port(), settings.payloadMaxBytes()),
        access(web, database),
        pages,
        groups);
  }

  private static WebPorts ports(Settings settings, DataSource database) {
    return new WebPorts(
        new PostgresTicketReader(database),
        new PostgresTicketDesk(database),
        new PostgresTicketInbox(database, SCHEMA, settings.payloadMaxBytes()),
        new PostgresDesignShelf(database),
        new PostgresJournalReader(database, SCHEMA),
        () -> new PostgresTicketFeed(database, SCHEMA, null));
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
