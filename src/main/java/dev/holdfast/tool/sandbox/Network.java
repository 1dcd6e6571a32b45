package dev.holdfast.tool.sandbox;

import java.util.List;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/** The hosts that a confined program may reach. */
public sealed interface Network {
  /** No host: the program has a loopback interface of its own and no other. */
  Network NONE = new None();

  /** All hosts that the worker reaches, including the ports of the worker's own machine. */
  Network FULL = new Full();

  /** Describes the network for people and models: {@code no network}. */
  String words();

  /** See {@link #NONE}. */
  record None() implements Network {
    @Override
    public String words() {
      return "no network";
    }
  }

  /** See {@link #FULL}. */
  record Full() implements Network {
    @Override
    public String words() {
      return "the worker's network";
    }
  }

  /** Some places, through an HTTP proxy that variables such as {@code http_proxy} name. */
  record Only(List<Destination> allowed) implements Network {
    public Only {
      allowed = List.copyOf(allowed);
    }

    @Override
    public String words() {
      return "a network through the proxy in HTTPS_PROXY, to "
          + allowed.stream().map(Destination::toString).collect(Collectors.joining(", "))
          + " and nowhere else";
    }
  }

  /**
   * Reads a design's {@code network}, which is valid by its schema.
   *
   * @param usual where the design does not say
   */
  static Network of(JsonNode node, Network usual) {
    if (node.isArray()) {
      return new Only(node.valueStream().map(each -> Destination.of(each.asString())).toList());
    }
    return node.isMissingNode() ? usual : node.asString().equals("full") ? FULL : NONE;
  }
}
