package dev.holdfast.web.console;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.web.ConsoleServer;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;

/**
 * A server with samples, and a page of a browser, which each test finds empty. A new page for each
 * would be a third of the work.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ConsoleInBrowser {
  private static final String EMPTY = "about:blank";

  TestDatabase testDatabase;
  TicketDatabase database;
  SampleTickets tickets;
  Browsers browsers;
  ConsoleServer server;
  Page page;
  private Page shared;

  @BeforeAll
  void open(TestDatabase given) {
    testDatabase = given;
    database = new TicketDatabase(given);
    tickets = new SampleTickets(database);
    browsers = Browsers.start();
    shared = browsers.page();
    server = ConsoleServer.open(testDatabase.dataSource());
  }

  @AfterAll
  void close() {
    if (server != null) {
      server.close();
    }
    if (browsers != null) {
      browsers.close();
    }
  }

  @BeforeEach
  void takePage() {
    page = shared;
  }

  /** A page that stays where it is goes on asking for news. */
  @AfterEach
  void leavePage() {
    if (!page.equals(shared)) {
      page.context().close();
    }
    shared.unrouteAll();
    if (!shared.url().equals(EMPTY)) {
      shared.evaluate("sessionStorage.clear()");
      shared.navigate(EMPTY);
    }
    shared.context().clearCookies();
  }

  void go(String path) {
    page.navigate(server.url(path));
  }

  Locator button(String name) {
    return page.locator(
        "button", new Page.LocatorOptions().setHasText(Pattern.compile("^" + name)));
  }

  Locator notice() {
    return page.locator("#notice");
  }
}
