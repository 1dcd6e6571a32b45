package dev.holdfast.web.console;

/** The entries of the console's menu. */
public enum Section {
  HOME("Overview", "/"),
  INBOX("Inbox", "/inbox"),
  REVIEW("Review", "/review"),
  TICKETS("Tickets", "/tickets"),
  QUEUES("Queues", "/queues"),
  SCHEDULES("Schedules", "/schedules"),
  BATCHES("Batches", "/batches"),
  WORKERS("Workers", "/workers"),
  PROVIDERS("Providers", "/providers"),
  DESIGNS("Designs", "/designs");

  private final String title;
  private final String path;

  Section(String title, String path) {
    this.title = title;
    this.path = path;
  }

  public String title() {
    return title;
  }

  public String path() {
    return path;
  }
}
