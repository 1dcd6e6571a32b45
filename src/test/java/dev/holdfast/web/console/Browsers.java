package dev.holdfast.web.console;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.stream.Stream;

/**
 * An installed Chromium; the one without windows takes half the time. Used by one thread at a time:
 * who closes it leaves it to the next, for its start costs more than many a test. It ends with this
 * process.
 */
public final class Browsers implements AutoCloseable {
  private static final double PATIENCE_MILLIS = 90_000;
  private static final ConcurrentLinkedDeque<Browsers> IDLE = new ConcurrentLinkedDeque<>();

  private final Playwright playwright;
  private final Browser browser;

  private Browsers(Playwright playwright, Browser browser) {
    this.playwright = playwright;
    this.browser = browser;
  }

  /** Skips the tests where there is none. */
  public static Browsers start() {
    Browsers idle = IDLE.poll();
    return idle == null ? launch() : idle;
  }

  private static Browsers launch() {
    Optional<Path> chromium = chromium();
    assumeTrue(
        chromium.isPresent(),
        "no Chromium on the PATH: install the package chromium to run the browser tests");
    PlaywrightAssertions.setDefaultAssertionTimeout(PATIENCE_MILLIS);
    Playwright playwright =
        await()
            .pollInSameThread()
            .pollInterval(Duration.ofMillis(50))
            .ignoreExceptionsMatching(Browsers::isBusy)
            .until(Browsers::driver, Objects::nonNull);
    return new Browsers(
        playwright,
        playwright
            .chromium()
            .launch(
                new BrowserType.LaunchOptions()
                    .setExecutablePath(chromium.orElseThrow())
                    // As root, as on CI, Chromium has no sandbox; and such a machine has no GPU.
                    // Each process costs its start: one draws all pages, none only paints.
                    .setArgs(
                        List.of(
                            "--no-sandbox",
                            "--disable-dev-shm-usage",
                            "--disable-gpu",
                            "--in-process-gpu",
                            "--renderer-process-limit=1"))));
  }

  private static Playwright driver() {
    return Playwright.create(
        new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
  }

  /**
   * The driver writes a program and runs it at once. A process that another test starts meanwhile
   * has the file open for a moment, too, and so long the system does not run it.
   */
  private static boolean isBusy(Throwable error) {
    return error.getCause() instanceof IOException cause
        && String.valueOf(cause.getMessage()).contains("Text file busy");
  }

  private static Optional<Path> chromium() {
    String[] directories = System.getenv("PATH").split(":", -1);
    return Stream.of("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
        .flatMap(name -> Stream.of(directories).map(directory -> Path.of(directory, name)))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** A page without cookies. */
  public Page page() {
    return page(new Browser.NewContextOptions());
  }

  Page page(Browser.NewContextOptions options) {
    BrowserContext context = browser.newContext(options);
    context.setDefaultTimeout(PATIENCE_MILLIS);
    return context.newPage();
  }

  /** With its pages and their cookies. */
  @Override
  public void close() {
    if (browser.isConnected()) {
      List.copyOf(browser.contexts()).forEach(BrowserContext::close);
      IDLE.push(this);
    } else {
      playwright.close();
    }
  }
}
