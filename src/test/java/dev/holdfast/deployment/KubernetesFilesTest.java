package dev.holdfast.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.config.ConfigLoader;
import dev.holdfast.config.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

class KubernetesFilesTest {
  private static final Duration AFTER_DRAIN = Duration.ofSeconds(5);
  private static final String SECRETS = "/run/secrets/holdfast/";

  @TempDir private Path directory;

  private static Settings settings(Map<String, String> environment) {
    return new ConfigLoader(Path.of("no-such-directory"), environment).load(null, Map.of());
  }

  /** The variables of a container, with files of this machine in the place of mounted Secrets. */
  private Map<String, String> environment(JsonNode container) throws IOException {
    Map<String, String> environment = new TreeMap<>();
    String map = container.at("/envFrom/0/configMapRef/name").asString();
    for (JsonNode each : Kubernetes.BASE.kustomization().path("configMapGenerator")) {
      if (each.path("name").asString().equals(map)) {
        each.path("literals")
            .forEach(
                literal ->
                    environment.put(
                        literal.asString().split("=", 2)[0], literal.asString().split("=", 2)[1]));
      }
    }
    assertThat(environment).as("config map %s", map).isNotEmpty();
    for (JsonNode each : container.path("env")) {
      String value = each.path("value").asString();
      if (value.startsWith(SECRETS)) {
        Path file = directory.resolve(value.substring(SECRETS.length()));
        value = Files.writeString(file, "operator:of-a-test-of-files").toString();
      }
      environment.put(each.path("name").asString(), value);
    }
    return environment;
  }

  @Test
  @DisplayName("kubernetes: the worker accepts its settings, and is given longer than its drain")
  void worker() throws IOException {
    JsonNode pod =
        Kubernetes.BASE.resource("Deployment", "holdfast-worker").at("/spec/template/spec");
    JsonNode container = pod.at("/containers/0");
    Settings settings = settings(environment(container));
    assertThat(settings.web().host()).isEqualTo("0.0.0.0");
    assertThat(settings.web().tokens()).hasSize(1);
    assertThat(settings.database().password()).isNotBlank();
    assertThat(container.at("/ports/0/containerPort").asInt()).isEqualTo(settings.web().port());
    assertThat(Duration.ofSeconds(pod.path("terminationGracePeriodSeconds").asInt()))
        .isGreaterThan(settings.worker().drainTimeout().plus(AFTER_DRAIN));
    assertThat(container.at("/livenessProbe/httpGet/path").asString()).isEqualTo("/health/live");
    assertThat(container.at("/readinessProbe/httpGet/path").asString()).isEqualTo("/health/ready");
    JsonNode migrate =
        Kubernetes.BASE.resource("Job", "holdfast-migrate").at("/spec/template/spec/containers/0");
    assertThat(settings(environment(migrate)).database().user()).isEqualTo("holdfast_owner");
  }

  @Test
  @DisplayName(
      "kubernetes: pods run as the image's user, get no variables of Services, and secrets as"
          + " files")
  void pods() throws IOException {
    for (JsonNode each :
        new JsonNode[] {
          Kubernetes.BASE.resource("Job", "holdfast-migrate"),
          Kubernetes.BASE.resource("Deployment", "holdfast-worker")
        }) {
      JsonNode pod = each.at("/spec/template/spec");
      String user = pod.at("/securityContext/runAsUser").asString();
      assertThat(Files.readString(Path.of("deploy/Dockerfile")))
          .containsPattern("(?m)^USER " + user + ":\\d+$");
      assertThat(pod.path("enableServiceLinks").asBoolean(true)).isFalse();
      assertThat(pod.at("/containers/0/securityContext/readOnlyRootFilesystem").asBoolean())
          .isTrue();
      assertThat(pod.at("/containers/0/volumeMounts").toString())
          .contains("/var/lib/holdfast", SECRETS.replaceFirst("/$", ""));
      assertThat(pod.at("/volumes/0/secret/secretName")).isEqualTo(each.at("/metadata/name"));
      assertThat(pod.toString()).doesNotContain("secretKeyRef", "secretRef\"");
    }
  }

  @Test
  @DisplayName("issue 22, 12: what selects workers selects the Deployment's pods, by their port")
  void selectors() throws IOException {
    JsonNode worker = Kubernetes.BASE.resource("Deployment", "holdfast-worker");
    JsonNode labels = worker.at("/spec/template/metadata/labels");
    JsonNode service = Kubernetes.BASE.resource("Service", "holdfast-worker");
    JsonNode policy = Kubernetes.BASE.resource("NetworkPolicy", "holdfast-worker");
    JsonNode monitor = Kubernetes.PRODUCTION.resource("ServiceMonitor", "holdfast-worker");
    assertThat(worker.at("/spec/selector/matchLabels")).isEqualTo(labels);
    assertThat(service.at("/spec/selector")).isEqualTo(labels);
    assertThat(policy.at("/spec/podSelector/matchLabels")).isEqualTo(labels);
    assertThat(
            Kubernetes.BASE
                .resource("PodDisruptionBudget", "holdfast-worker")
                .at("/spec/selector/matchLabels"))
        .isEqualTo(labels);
    assertThat(monitor.at("/spec/selector/matchLabels")).isEqualTo(service.at("/metadata/labels"));
    // The alerts ask for this job.
    assertThat(labels.path(monitor.at("/spec/jobLabel").asString()).asString())
        .isEqualTo("holdfast");
    String port = worker.at("/spec/template/spec/containers/0/ports/0/name").asString();
    assertThat(List.of(monitor.at("/spec/endpoints/0/port"), service.at("/spec/ports/0/name")))
        .allMatch(each -> each.asString().equals(port));
    assertThat(policy.at("/spec/ingress/0/ports/0/port").asString()).isEqualTo(port);
    JsonNode scaled = Kubernetes.PRODUCTION.resource("ScaledObject", "holdfast-worker");
    assertThat(scaled.at("/spec/scaleTargetRef/name")).isEqualTo(worker.at("/metadata/name"));
    Kubernetes.PRODUCTION.resource(
        "TriggerAuthentication", scaled.at("/spec/triggers/0/authenticationRef/name").asString());
    assertThat(scaled.at("/spec/triggers/0/metadata/targetQueryValue").asInt())
        .isEqualTo(settings(Map.of()).worker().concurrency());
  }

  @ParameterizedTest
  @ValueSource(strings = {"base", "overlays/production"})
  @DisplayName(
      "issue 22, 12: each file of a kustomization is named in it, and what it patches exists")
  void kustomization(String name) throws IOException {
    Kubernetes files = new Kubernetes(Path.of("deploy/kubernetes").resolve(name));
    JsonNode kustomization = files.kustomization();
    Set<String> named = new HashSet<>();
    for (JsonNode each : kustomization.path("resources")) {
      assertThat(files.directory().resolve(each.asString())).exists();
      named.add(each.asString());
    }
    try (var found = Files.list(files.directory())) {
      assertThat(found.map(file -> file.getFileName().toString()))
          .allMatch(file -> file.equals("kustomization.yaml") || named.contains(file));
    }
    for (JsonNode each : kustomization.path("patches")) {
      JsonNode target =
          files.resource(each.at("/target/kind").asString(), each.at("/target/name").asString());
      for (JsonNode change : Yaml.documents(each.path("patch").asString())) {
        assertThat(change.isEmpty()).isFalse();
        for (JsonNode step : change) {
          assertThat(target.at(step.path("path").asString()).isMissingNode())
              .as(step.toString())
              .isFalse();
        }
      }
    }
    for (JsonNode each : kustomization.path("configMapGenerator")) {
      if (each.path("behavior").asString("").equals("merge")) {
        assertThat(Kubernetes.BASE.kustomization().path("configMapGenerator").toString())
            .contains("\"name\":" + each.path("name"));
      }
    }
  }

  @Test
  @DisplayName(
      "issue 22, 12: kustomize builds base and production, which leaves the number to KEDA")
  void build() throws Exception {
    assumeTrue(Checker.isInstalled("kubectl"), "kubectl is missing: it builds kustomizations");
    List<JsonNode> base = Kubernetes.BASE.built();
    List<JsonNode> production = Kubernetes.PRODUCTION.built();
    assertThat(Kubernetes.only(base, "Deployment", "holdfast-worker").at("/spec/replicas").asInt())
        .isEqualTo(2);
    assertThat(production).hasSize(base.size() + 3);
    JsonNode worker = Kubernetes.only(production, "Deployment", "holdfast-worker");
    assertThat(worker.at("/spec/replicas").isMissingNode()).isTrue();
    JsonNode map = Kubernetes.only(production, "ConfigMap", "holdfast-worker");
    assertThat(worker.at("/spec/template/spec/containers/0/envFrom/0/configMapRef/name"))
        .isEqualTo(map.at("/metadata/name"));
    assertThat(map.at("/data/HOLDFAST_DATABASE_USER").asString()).isEqualTo("holdfast_app");
    assertThat(map.at("/data/HOLDFAST_DATABASE_URL").asString()).contains("sslmode=require");
    assertThat(production)
        .allMatch(each -> each.at("/metadata/namespace").asString().equals("holdfast"));
  }
}
