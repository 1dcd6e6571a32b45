package dev.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ticket.HoldfastException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DatabaseTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {
        "jdbc:postgresql://h/db                     | jdbc:postgresql://h:5432/db              | - "
            + "  | -",
        "jdbc:postgresql://h:6543/db?ssl=true&user=u&password=p%26w+x |"
            + " jdbc:postgresql://h:6543/db?ssl=true | u | p&w x",
        "jdbc:postgresql:db                         | jdbc:postgresql://localhost:5432/db      | - "
            + "  | -",
        "jdbc:postgresql://u:p@h/db                 | jdbc:postgresql://h:5432/db              | u "
            + "  | p",
        "postgres://u:p@h/db                        | jdbc:postgresql://h:5432/db              | u "
            + "  | p",
        "postgresql://u@h:1/db                      | jdbc:postgresql://h:1/db                 | u "
            + "  | -",
        "POSTGRES://h                               | jdbc:postgresql://h:5432/                | - "
            + "  | -",
        "postgres://u%40corp:p%2Fq%3A%40+r@h/my%20db | jdbc:postgresql://h:5432/my+db          |"
            + " u@corp | p/q:@+r",
        "postgres://u:p@ss@h/db                     | jdbc:postgresql://h:5432/db              | u "
            + "  | p@ss",
        "postgres://a:1,b,[::1]:2/db?readOnly=true  |"
            + " jdbc:postgresql://a:1,b:5432,[::1]:2/db?readOnly=true&targetServerType=primary | -"
            + " | -",
        "jdbc:postgresql://h/db?target=x            | jdbc:postgresql://h:5432/db?target=x     | - "
            + "  | -",
        "postgres://h/db?keepalives=1&client_encoding=utf8 | jdbc:postgresql://h:5432/db | - | -",
        "postgres://h/db?sslmode=require&connect_timeout=3&application_name=me+you |"
            + " jdbc:postgresql://h:5432/db?sslmode=require&connectTimeout=3&ApplicationName=me%2Byou"
            + " | - | -",
        "postgres://h/db?sslmode=verify-full&sslrootcert=system |"
            + " jdbc:postgresql://h:5432/db?sslmode=verify-full&sslfactory=org.postgresql.ssl.DefaultJavaSSLFactory"
            + " | - | -",
        "postgres://h/db?sslrootcert=system |"
            + " jdbc:postgresql://h:5432/db?sslfactory=org.postgresql.ssl.DefaultJavaSSLFactory&sslmode=verify-full"
            + " | - | -",
      })
  @DisplayName("every usual form of URL is read, percent-decoded, its credentials taken out")
  void urls(String url, String jdbcUrl, String user, String password) {
    Database database = Database.of(url);
    assertThat(database.url()).isEqualTo(jdbcUrl);
    assertThat(database.user()).isEqualTo(user);
    assertThat(database.password()).isEqualTo(password);
    assertThat(database.withPoolSize(3))
        .isEqualTo(new Database(jdbcUrl, user, password, 3, "holdfast"));
  }

  @ParameterizedTest
  @CsvSource({
    "any,any",
    "read-write,primary",
    "primary,primary",
    "read-only,secondary",
    "standby,secondary",
    "prefer-standby,preferSecondary"
  })
  @DisplayName("which of several servers is wanted, in libpq's words and in the driver's")
  void targetServer(String attributes, String type) {
    assertThat(Database.of("postgres://a,b/db?target_session_attrs=" + attributes).url())
        .isEqualTo("jdbc:postgresql://a:5432,b:5432/db?targetServerType=" + type);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "target_session_attrs=master|it has a target_session_attrs that libpq does not know",
        "host=/run/postgresql|it has the parameter host, which the JDBC driver does not know",
        "target=x|it has the parameter target, which the JDBC driver does not know",
        "s3cret=y@h/db|it has a parameter that the JDBC driver does not know"
      })
  @DisplayName("a parameter that would be ignored is refused, and told unless it may be a password")
  void unknownParameter(String parameter, String why) {
    assertThatThrownBy(() -> Database.of("postgres://h/db?" + parameter))
        .isInstanceOf(HoldfastException.class)
        .hasMessageStartingWith("the database URL cannot be read: " + why + ";");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "mysql://u:s3cret@h/db",
        "localhost:5432/db",
        "u:s3cret@h/db",
        "postgres://u:s3/cret@h/db/more",
        "postgres://u:s3cret/x@h:5432",
        "postgres://u:s3cret@h:port/db",
        "postgres://u:s3cret@h:70000/db",
        "postgres://u:s3cret@h:0/db",
        "postgres://u:s3cret@h%zz/db",
        "postgres://u:s3cret%2@h/db",
        "postgres://u:s3cret@two hosts/db",
        "jdbc:postgresql://h/db?password=s3cret%",
      })
  @DisplayName(
      "garbage is refused in one line that shows the right form and no part of the password")
  void garbage(String url) {
    assertThatThrownBy(() -> Database.of(url))
        .isInstanceOf(HoldfastException.class)
        .hasMessageStartingWith("the database URL cannot be read: ")
        .hasMessageContaining(
            "HOLDFAST_DATABASE_URL to postgres://user:password@host:5432/database")
        .hasNoCause()
        .extracting(Throwable::getMessage)
        .satisfies(text -> assertThat(text).doesNotContain("s3", "cret").hasLineCount(1));
  }

  @Test
  @DisplayName("user and password of their own win over the URL's, and blank ones do not")
  void precedence() {
    Database both = new Database("postgres://u:p@h/db", "own", "secret", 1, "holdfast");
    assertThat(both.user()).isEqualTo("own");
    assertThat(both.password()).isEqualTo("secret");
    Database blank = new Database("postgres://u:p@h/db", "", " ", 1, "holdfast");
    assertThat(blank.user()).isEqualTo("u");
    assertThat(blank.password()).isEqualTo("p");
  }

  @Test
  @DisplayName("another address of the same database has its own user and password, or else these")
  void otherAddress() {
    Database pooler = new Database("postgres://u:p@pooler/db", null, null, 7, "holdfast");

    assertThat(pooler.at("postgres://direct:secret@server/db"))
        .isEqualTo(new Database("jdbc:postgresql://server/db", "direct", "secret", 7, "holdfast"));
    assertThat(pooler.at("jdbc:postgresql://server/db"))
        .isEqualTo(new Database("jdbc:postgresql://server/db", "u", "p", 7, "holdfast"));
  }

  @Test
  @DisplayName("the text form masks the password, and that of the client's key")
  void masked() {
    assertThat(Database.of("postgres://u:s3cret@h/db"))
        .hasToString("u:***@jdbc:postgresql://h:5432/db");
    assertThat(DatabaseUrl.parse("postgres://u:s3cret@h/db").toString()).doesNotContain("s3cret");
    String withKey = "postgres://h/db?sslpassword=s3cret&sslmode=require";
    assertThat(Database.of(withKey))
        .hasToString("jdbc:postgresql://h:5432/db?sslpassword=***&sslmode=require");
    assertThat(DatabaseUrl.parse(withKey).toString()).doesNotContain("s3cret");
  }

  @Test
  @DisplayName("a pool without a connection is refused")
  void poolSize() {
    assertThatThrownBy(() -> Database.of("postgres://h/db").withPoolSize(0))
        .isInstanceOf(HoldfastException.class)
        .hasMessage("the pool needs at least one connection, not 0");
  }

  @Test
  @DisplayName("a pool is closed at once while it connects to a server that does not answer")
  void closedWhileConnecting() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      ConnectionPool pool =
          Database.of("postgres://127.0.0.1:" + server.getLocalPort() + "/db").pool();
      try (Socket _ = server.accept()) {
        long begun = System.nanoTime();
        pool.close();
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(4));
      }
    }
  }
}
