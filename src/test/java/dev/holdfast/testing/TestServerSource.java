package dev.holdfast.testing;

/** Where the tests' server comes from. Closing it stops a server that was started for them. */
sealed interface TestServerSource extends AutoCloseable
    permits EmbeddedTestServer, DockerTestServer, ExternalTestServer {

  /** The URL of one of its databases, without user and password. */
  String jdbcUrl(String database);

  String user();

  String password();

  /**
   * {@code -Dtest.database}: {@code embedded} (the default), {@code docker}, or the JDBC URL of a
   * server that is there.
   */
  static TestServerSource fromSystemProperties() {
    String choice = System.getProperty("test.database", "embedded");
    return switch (choice) {
      case "embedded" -> EmbeddedTestServer.start();
      case "docker" -> DockerTestServer.start();
      default -> ExternalTestServer.at(choice);
    };
  }
}
