package dev.holdfast.testing;

import java.util.UUID;
import org.testcontainers.postgresql.PostgreSQLContainer;
import org.testcontainers.utility.DockerImageName;

/** A container of {@code -Dtest.postgres.image}, by default {@code postgres:18}. */
record DockerTestServer(PostgreSQLContainer container) implements TestServerSource {

  static DockerTestServer start() {
    DockerImageName image =
        DockerImageName.parse(System.getProperty("test.postgres.image", "postgres:18"))
            .asCompatibleSubstituteFor("postgres");
    PostgreSQLContainer container =
        new PostgreSQLContainer(image)
            // Not the default, which is the user's name: tests look for it where it must not be.
            .withPassword("only-for-" + UUID.randomUUID())
            .withCommand(
                "postgres",
                "-c",
                "fsync=off",
                "-c",
                "max_connections=200",
                "-c",
                "timezone=" + TestServer.TIME_ZONE,
                "-c",
                "shared_preload_libraries=pg_stat_statements");
    container.start();
    // Without Testcontainers' own reaper nobody else would remove it after Ctrl-C.
    Runtime.getRuntime().addShutdownHook(new Thread(container::stop));
    return new DockerTestServer(container);
  }

  @Override
  public String jdbcUrl(String database) {
    return "jdbc:postgresql://"
        + container.getHost()
        + ":"
        + container.getMappedPort(PostgreSQLContainer.POSTGRESQL_PORT)
        + "/"
        + database;
  }

  @Override
  public String user() {
    return container.getUsername();
  }

  @Override
  public String password() {
    return container.getPassword();
  }

  @Override
  public void close() {
    container.stop();
  }
}
