package dev.holdfast.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.config.ConfigLoader;
import dev.holdfast.tool.sandbox.SandboxMode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What image, unit, compose and Kubernetes must allow so that bubblewrap works, and no more. */
class SandboxFilesTest {
  private static final String PROFILE = "deploy/seccomp.json";
  private static final String MODE = "HOLDFAST_TOOLS_SANDBOX";

  @TempDir private Path directory;

  private static String only(String regex, String text) {
    Matcher matcher = Pattern.compile(regex, Pattern.MULTILINE).matcher(text);
    assertThat(matcher.find()).as(regex).isTrue();
    return matcher.group(1);
  }

  private static SandboxMode mode(String word) {
    return new ConfigLoader(Path.of("no-such-directory"), Map.of(MODE, word))
        .load(null, Map.of())
        .agents()
        .sandbox();
  }

  private static List<String> texts(JsonNode array) {
    return array.valueStream().map(JsonNode::asString).toList();
  }

  @Test
  @DisplayName(
      "issue 20, 1.5: the image has bubblewrap and git, a Java of its own and a user who is not"
          + " root; a build gets only what the Dockerfile copies")
  void image() throws IOException {
    String dockerfile = Files.readString(Path.of("deploy/Dockerfile"));
    assertThat(dockerfile)
        .containsPattern("apt-get install -y --no-install-recommends bubblewrap .*git")
        .containsPattern("(?m)^USER 10001:10001$")
        .contains("ENTRYPOINT [\"/opt/java/bin/java\"")
        .contains("image.title", "image.version", "image.revision", "image.licenses");
    List<String> ignore = Files.readAllLines(Path.of(".dockerignore"));
    Matcher copied = Pattern.compile("(?m)^COPY (?!--from)(.*) \\S+$").matcher(dockerfile);
    assertThat(copied.results().flatMap(each -> Pattern.compile(" ").splitAsStream(each.group(1))))
        .contains("src/etc/jlink.options")
        .allMatch(each -> ignore.contains("!" + each))
        .allMatch(each -> each.startsWith("target/") || Files.exists(Path.of(each)));
  }

  @Test
  @DisplayName("issue 20, 1.5: the unit forbids nothing that the sandbox needs")
  void unit() throws IOException {
    String unit = Files.readString(Path.of("deploy/holdfast.service"));
    assertThat(only("^RestrictNamespaces=(.*)$", unit).split(" "))
        .contains("user", "mnt", "pid", "ipc", "uts", "net");
    // Programs may confine themselves: @system-service has neither Landlock nor seccomp.
    assertThat(only("^SystemCallFilter=(.*)$", unit))
        .contains("@mount", " seccomp ", " landlock_restrict_self");
    assertThat(only("^RestrictAddressFamilies=(.*)$", unit)).contains("AF_NETLINK", "AF_UNIX");
    assertThat(unit)
        .as("what covers parts of /proc, so that no other one can be mounted")
        .doesNotContainPattern(
            "(?m)^Protect(KernelTunables|KernelLogs|Hostname|Proc)=|^ProcSubset=");
  }

  @Test
  @DisplayName(
      "issue 20, 1.5: the system calls of a container are a list that has what bubblewrap needs,"
          + " and nothing that reaches the kernel's or other programs' insides")
  void profile() {
    JsonNode profile = JsonMapper.shared().readTree(Path.of(PROFILE).toFile());
    assertThat(profile.path("defaultAction").asString()).isEqualTo("SCMP_ACT_ERRNO");
    List<String> allowed = texts(profile.at("/syscalls/0/names"));
    assertThat(allowed)
        .contains("clone", "unshare", "mount", "umount2", "pivot_root")
        .contains("execve", "futex", "landlock_restrict_self", "seccomp")
        .doesNotHaveDuplicates()
        .doesNotContain("socket", "personality", "setns", "ptrace", "process_vm_readv")
        .doesNotContain("bpf", "perf_event_open", "io_uring_setup", "userfaultfd", "keyctl")
        .doesNotContain("init_module", "kexec_load", "open_by_handle_at", "syslog", "reboot");
    JsonNode socket = profile.at("/syscalls/1");
    assertThat(texts(socket.path("names"))).containsExactly("socket");
    assertThat(socket.at("/args/0/op").asString()).isEqualTo("SCMP_CMP_NE");
    assertThat(socket.at("/args/0/value").asInt()).as("AF_VSOCK").isEqualTo(40);
  }

  @Test
  @DisplayName("issue 20, 1.5: compose: workers get what the sandbox needs, and nothing else does")
  void compose() throws IOException {
    JsonNode services =
        Yaml.documents(Path.of("deploy/sandbox.compose.yaml")).getFirst().path("services");
    assertThat(services.propertyNames()).containsExactly("worker");
    JsonNode worker = services.path("worker");
    assertThat(mode(worker.path("environment").path(MODE).asString()))
        .isEqualTo(SandboxMode.REQUIRED);
    assertThat(texts(worker.path("security_opt")))
        .containsExactly("seccomp=" + PROFILE, "systempaths=unconfined", "apparmor=unconfined");
    JsonNode base = Yaml.documents(Path.of("docker-compose.yml")).getFirst();
    assertThat(texts(base.at("/x-holdfast/security_opt")))
        .as("compose joins both lists and refuses an option that is in both")
        .containsExactly("no-new-privileges:true");
    assertThat(Path.of(PROFILE)).exists();
  }

  @Test
  @DisplayName(
      "issue 20, 1.5: kubernetes: the component gives workers user namespaces, a whole /proc and"
          + " the list of system calls, and keeps the rest of the pod as it is")
  void kubernetes() throws Exception {
    assumeTrue(Checker.isInstalled("kubectl"), "kubectl is missing: install it");
    Path place = directory.toRealPath();
    Path files = Path.of("deploy/kubernetes").toRealPath();
    Files.writeString(
        place.resolve("kustomization.yaml"),
        """
        resources: [%s]
        components: [%s]
        """
            .formatted(
                place.relativize(files.resolve("base")),
                place.relativize(files.resolve("components/sandbox"))));
    List<JsonNode> built = new Kubernetes(place).built();
    JsonNode pod =
        Kubernetes.only(built, "Deployment", "holdfast-worker").at("/spec/template/spec");
    assertThat(pod.path("hostUsers").asBoolean(true)).isFalse();
    JsonNode container = pod.at("/containers/0");
    assertThat(container.path("env").valueStream())
        .filteredOn(each -> each.path("name").asString().equals(MODE))
        .singleElement()
        .satisfies(
            each ->
                assertThat(mode(each.path("value").asString())).isEqualTo(SandboxMode.REQUIRED));
    JsonNode security = container.path("securityContext");
    assertThat(security.path("procMount").asString()).isEqualTo("Unmasked");
    assertThat(security.at("/seccompProfile/type").asString()).isEqualTo("Localhost");
    assertThat(security.path("readOnlyRootFilesystem").asBoolean()).isTrue();
    assertThat(security.path("allowPrivilegeEscalation").asBoolean(true)).isFalse();
    assertThat(texts(security.at("/capabilities/drop"))).containsExactly("ALL");
    assertThat(Kubernetes.only(built, "Job", "holdfast-migrate").toString())
        .doesNotContain("Unmasked");
  }
}
