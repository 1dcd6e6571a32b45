package dev.holdfast.tool.sandbox;

import static dev.holdfast.fuzz.FuzzTarget.require;

import dev.holdfast.fuzz.FuzzTarget;

/** Requests of sandboxed programs to the proxy that stands between them and the network. */
public final class ProxyFuzz {
  public static final FuzzTarget REQUEST = FuzzTarget.ofText("proxy", ProxyFuzz::request);

  private ProxyFuzz() {}

  private static void request(String text) {
    ProxyRequest request;
    try {
      request = ProxyRequest.of(text + "\r\n\r\n");
    } catch (IllegalArgumentException e) {
      require(!String.valueOf(e.getMessage()).isBlank(), "a refusal says why");
      return;
    }
    String forward = request.forward();
    if (!forward.isEmpty()) {
      require(forward.endsWith("Connection: close\r\n\r\n"), "one request a connection");
      require(forward.indexOf("\r\n\r\n") == forward.length() - 4, "one head is sent on");
      require(!forward.replace("\r\n", "").contains("\n"), "no line end is smuggled");
    }
    require(request.port() >= 0 && request.port() <= 65_535, "a port is one: " + request.port());
  }
}
