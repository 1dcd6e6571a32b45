package dev.holdfast.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.openshift.api.model.monitoring.v1.ServiceMonitor;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The manifests, read by the model of Kubernetes' own API. */
class KubernetesModelTest {
  /** By apiVersion and kind. */
  private static final List<Class<? extends HasMetadata>> KNOWN =
      List.of(
          Deployment.class,
          Job.class,
          NetworkPolicy.class,
          PodDisruptionBudget.class,
          Service.class,
          ServiceAccount.class,
          ServiceMonitor.class);

  /** The model has none of KEDA. */
  private static final Set<String> UNKNOWN =
      Set.of("keda.sh/v1alpha1 ScaledObject", "keda.sh/v1alpha1 TriggerAuthentication");

  /** The model keeps fields that it does not know; here they are an error. */
  private static final ObjectMapper STRICT =
      new ObjectMapper()
          .setAnnotationIntrospector(
              new JacksonAnnotationIntrospector() {
                @Override
                public Boolean hasAnySetter(Annotated member) {
                  return false;
                }
              });

  private static String typeOf(JsonNode resource) {
    return resource.path("apiVersion").asString() + " " + resource.path("kind").asString();
  }

  private static HasMetadata parse(JsonNode resource) throws JsonProcessingException {
    for (Class<? extends HasMetadata> each : KNOWN) {
      if (typeOf(resource).equals(HasMetadata.getApiVersion(each) + " " + each.getSimpleName())) {
        return STRICT.readValue(resource.toString(), each);
      }
    }
    throw new AssertionError("no class for " + typeOf(resource));
  }

  @Test
  @DisplayName("22.12: every manifest is what Kubernetes' model knows, field by field")
  void known() throws IOException {
    List<String> names = new ArrayList<>();
    for (JsonNode resource : Kubernetes.PRODUCTION.resources()) {
      if (!UNKNOWN.contains(typeOf(resource))) {
        names.add(parse(resource).getMetadata().getName());
      }
    }
    assertThat(names).hasSizeGreaterThan(6).doesNotContainNull();
  }

  @Test
  @DisplayName("22.12: a misspelt field of a manifest is an error")
  void misspelt() throws IOException {
    String worker = Kubernetes.BASE.resource("Deployment", "holdfast-worker").toString();
    assertThat(worker).contains("terminationGracePeriodSeconds");
    String wrong = worker.replace("terminationGracePeriodSeconds", "terminationGraceSeconds");
    assertThatThrownBy(() -> STRICT.readValue(wrong, Deployment.class))
        .isInstanceOf(JsonProcessingException.class)
        .hasMessageContaining("terminationGraceSeconds");
  }
}
