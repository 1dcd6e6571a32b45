package dev.holdfast.handler.design;

import dev.holdfast.repair.git.RepositoryException;
import dev.holdfast.repair.git.RepositorySource;
import dev.holdfast.ticket.InvalidInputException;
import java.util.HashSet;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/** Checks a design of kind repair for what a schema cannot say. */
final class RepairChecks {
  private RepairChecks() {}

  /**
   * @throws InvalidInputException saying what is wrong
   */
  static void check(JsonNode document) {
    JsonNode repository = document.path("repository");
    String ref = repository.path("ref").asString("HEAD");
    try {
      RepositorySource unused =
          repository.has("path")
              ? RepositorySource.local(repository.path("path").asString(), ref)
              : RepositorySource.remote(repository.path("url").asString(), ref);
    } catch (RepositoryException e) {
      throw new InvalidInputException("the design is not valid: repository: " + e.getMessage());
    }
    Set<String> names = new HashSet<>();
    for (JsonNode command : document.path("verify")) {
      String name = command.path("name").asString();
      if (!names.add(name)) {
        throw new InvalidInputException(
            "the design is not valid: verify has two commands named \""
                + name
                + "\": give each a name of its own");
      }
    }
  }
}
