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

/** A server with samples, and a page of a browser for each test. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ConsoleInBrowser {
  TestDatabase testDatabase;
  TicketDatabase database;
  SampleTickets tickets;
  Browsers browsers;
  ConsoleServer server;
  Page page;

  @BeforeAll
  void open(TestDatabase given) {
    testDatabase = given;
    database = new TicketDatabase(given);
    tickets = new SampleTickets(database);
    browsers = Browsers.start();
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
  void newPage() {
    page = browsers.page();
  }

  /** A page that stays open goes on asking for news. */
  @AfterEach
  void closePage() {
    page.context().close();
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
