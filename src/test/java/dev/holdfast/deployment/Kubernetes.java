package dev.holdfast.deployment;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** The files of a kustomization. */
record Kubernetes(Path directory) {
  static final Kubernetes BASE = new Kubernetes(Path.of("deploy/kubernetes/base"));
  static final Kubernetes PRODUCTION =
      new Kubernetes(Path.of("deploy/kubernetes/overlays/production"));

  JsonNode kustomization() throws IOException {
    return Yaml.documents(directory.resolve("kustomization.yaml")).getFirst();
  }

  /** What its own files and those of its bases define. */
  List<JsonNode> resources() throws IOException {
    List<JsonNode> all = new ArrayList<>();
    for (JsonNode name : kustomization().path("resources")) {
      Path path = directory.resolve(name.asString());
      all.addAll(
          Files.isDirectory(path)
              ? new Kubernetes(path.normalize()).resources()
              : Yaml.documents(path));
    }
    return all;
  }

  JsonNode resource(String kind, String name) throws IOException {
    return only(resources(), kind, name);
  }

  /** What {@code kubectl apply --kustomize} would send. */
  List<JsonNode> built() throws IOException, InterruptedException {
    Checker.Verdict verdict = Checker.run("kubectl", "kustomize", directory.toString());
    if (!verdict.good()) {
      throw new AssertionError(verdict.text());
    }
    return Yaml.documents(verdict.text());
  }

  static JsonNode only(List<JsonNode> resources, String kind, String name) {
    return resources.stream()
        .filter(each -> each.path("kind").asString().equals(kind))
        .filter(
            each ->
                each.at("/metadata/name")
                    .asString()
                    .replaceFirst("-[a-z0-9]{10}$", "")
                    .equals(name))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no " + kind + " " + name));
  }
}
