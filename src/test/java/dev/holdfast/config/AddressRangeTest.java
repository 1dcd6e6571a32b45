package dev.holdfast.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AddressRangeTest {
  private static AddressRange range(String text) {
    return AddressRange.parse("web.auth.proxy-addresses", text);
  }

  @ParameterizedTest(name = "{0} and {1}: {2}")
  @CsvSource({
    "10.0.0.7, 10.0.0.7, true",
    "10.0.0.7, 10.0.0.6, false",
    "10.0.0.0/8, 10.255.255.255, true",
    "10.0.0.0/8, 11.0.0.0, false",
    "10.1.2.3/8, 10.9.9.9, true",
    "192.168.4.0/22, 192.168.7.255, true",
    "192.168.4.0/22, 192.168.8.0, false",
    "128.0.0.0/1, 255.0.0.1, true",
    "128.0.0.0/1, 127.0.0.1, false",
    "10.0.0.7/31, 10.0.0.6, true",
    "10.0.0.7/31, 10.0.0.5, false",
    "fd00::/8, fdff::1, true",
    "fd00::/8, fe00::1, false",
    "2001:db8::1, 2001:db8::1, true",
    "2001:db8::/127, 2001:db8::1, true",
    "2001:db8::/127, 2001:db8::2, false",
    "::ffff:10.0.0.7, 10.0.0.7, true",
    "::a00:7, 10.0.0.7, false",
    "10.0.0.0/8, a00::1, false",
    "a00::/8, 10.0.0.1, false",
    "a00::/128, 10.0.0.0, false",
  })
  @DisplayName("a network has exactly the addresses that begin as it does, in its own family")
  void contains(String network, String address, boolean contained) {
    assertThat(range(network).contains(InetAddress.ofLiteral(address))).isEqualTo(contained);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "127.0.0.1",
        "127.0.0.2",
        "127.9.9.9/32",
        "127.0.0.0/8",
        "126.0.0.0/7",
        "64.0.0.0/2",
        "::1",
        "::/1",
        "::ffff:127.0.0.1"
      })
  @DisplayName("a network from which jobs of this machine come needs more than an address")
  void thisMachine(String network) {
    assertThat(range(network).isThisMachine()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.7", "126.0.0.0/8", "128.0.0.0/1", "fd00::/8", "8000::/1", "::2"})
  @DisplayName("other networks do not")
  void otherMachines(String network) {
    assertThat(range(network).isThisMachine()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "10/8", "10.0/16", "192.168/16", "10.0.0/24", "127.1", "167772167", "1.2.3.4.5",
            "10.0.0.256",
        "10.0.0.7:80", "::1::", "fd00", "", "/8", "10.0.0.0/", "10.0.0.0/8/8", "10.0.0.0/x"
      })
  @DisplayName("what is short for an address is none: 192.168 would be 192.0.0.168")
  void noAddress(String text) {
    assertThatThrownBy(() -> range(text))
        .isInstanceOf(ConfigException.class)
        .hasMessage(
            "web.auth.proxy-addresses: \""
                + text
                + "\" is no address; write it as 10.0.0.7, 10.0.0.0/8 or fd00::/8");
  }

  @ParameterizedTest
  @CsvSource({"10.0.0.0/0, 32", "10.0.0.0/33, 32", "::/0, 128", "fd00::/129, 128", "::1/-1, 128"})
  @DisplayName("a network of all addresses is refused, and one of more bits than there are")
  void bits(String text, int most) {
    assertThatThrownBy(() -> range(text))
        .isInstanceOf(ConfigException.class)
        .hasMessageStartingWith("web.auth.proxy-addresses: \"" + text + "\"")
        .hasMessageEndingWith("must have 1 to " + most + " bits after the slash");
  }
}
