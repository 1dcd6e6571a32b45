package dev.holdfast.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Types commands of kubectl at a cluster that is not there, Secrets really; what they name is
 * looked for in the manifests.
 *
 * @param directory for the files of Secrets
 */
record Cluster(Path directory) {
  private static final Pattern SECRET =
      Pattern.compile("kubectl (?:--namespace \\S+ )?create secret generic (\\S+) .*");

  private static final Pattern CREATED = Pattern.compile("kubectl create namespace (\\S+)");
  private static final Pattern FILE = Pattern.compile("--from-file=(?:([^= ]+)=)?(\\S+)");
  private static final Pattern RESOURCE = Pattern.compile("\\b(job|deployment)[/ ]([a-z-]+)");
  private static final Pattern KUSTOMIZATION = Pattern.compile("--kustomize (\\S+)");
  private static final Pattern NAMESPACE = Pattern.compile("--namespace (\\S+)");

  /** Nobody listens there. */
  private static final String NOWHERE = " --server=http://127.0.0.1:1 --kubeconfig=/dev/null";

  void type(String command) throws IOException, InterruptedException {
    Matcher secret = SECRET.matcher(command);
    if (secret.matches()) {
      secret(command, secret.group(1));
      return;
    }
    Matcher applied = KUSTOMIZATION.matcher(command);
    Matcher resource = RESOURCE.matcher(command);
    Matcher created = CREATED.matcher(command);
    if (created.matches()) {
      assertThat(Kubernetes.PRODUCTION.kustomization().path("namespace").asString())
          .isEqualTo(created.group(1));
    } else if (applied.find()) {
      assertThat(Path.of(applied.group(1)).resolve("kustomization.yaml")).exists();
    } else {
      assertThat(resource.find()).isTrue();
      String kind = resource.group(1).equals("job") ? "Job" : "Deployment";
      JsonNode found = Kubernetes.BASE.resource(kind, resource.group(2));
      assertThat(command.contains("condition=complete")).isEqualTo(command.contains(" wait "));
      assertThat(found.isMissingNode()).isFalse();
    }
    if (Checker.isInstalled("kubectl")) {
      Checker.Verdict verdict = Checker.run("bash", "-c", command + NOWHERE);
      assertThat(verdict.good()).isFalse();
      assertThat(verdict.text())
          .containsPattern("refused|unable to connect")
          .doesNotContain("unknown", "Usage");
    }
  }

  /** The keys are the files that the pods, or the scaler, look for. */
  private void secret(String command, String name) throws IOException, InterruptedException {
    List<MatchResult> files = FILE.matcher(command).results().toList();
    List<String> keys =
        files.stream().map(each -> each.group(1) == null ? each.group(2) : each.group(1)).toList();
    StringBuilder manifests = new StringBuilder();
    for (JsonNode each : Kubernetes.PRODUCTION.resources()) {
      if (each.toString().contains("\"" + name + "\"")) {
        manifests.append(each);
      }
    }
    assertThat(keys)
        .isNotEmpty()
        .allSatisfy(
            each ->
                assertThat(manifests.toString())
                    .containsPattern(
                        "/run/secrets/holdfast/" + each + "\"|\"key\":\"" + each + "\""));
    assertThat(manifests.toString()).containsPattern("\"(?:secretName|name)\":\"" + name + "\"");
    Matcher namespace = NAMESPACE.matcher(command);
    if (namespace.find()) {
      assertThat(Kubernetes.PRODUCTION.kustomization().path("namespace").asString())
          .isEqualTo(namespace.group(1));
    }
    if (Checker.isInstalled("kubectl")) {
      for (MatchResult each : files) {
        Files.writeString(directory.resolve(each.group(2)), "a secret of a test");
      }
      Checker.Verdict made =
          Checker.run(
              "bash", "-c", "cd " + directory + " && " + command + " --dry-run=client -o json");
      assertThat(made.good()).as(made.text()).isTrue();
      JsonNode secret = JsonMapper.shared().readTree(made.text());
      assertThat(secret.path("kind").asString()).isEqualTo("Secret");
      assertThat(secret.path("data").propertyNames()).containsExactlyInAnyOrderElementsOf(keys);
    }
  }
}
