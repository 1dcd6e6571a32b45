package dev.holdfast.handler.agent;

import dev.holdfast.session.Input;
import dev.holdfast.ticket.ClaimedTicket;
import dev.holdfast.ticket.Guidance;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What an agent is told: the task, then what people have said since, oldest first. */
final class AgentTask {
  private AgentTask() {}

  /** Their keys stay the same from attempt to attempt, so that nothing is said twice. */
  static List<Input> inputs(ClaimedTicket claimed) {
    List<Input> inputs = new ArrayList<>();
    inputs.add(Input.task(task(claimed.ticket().payload())));
    for (Guidance each : claimed.guidance()) {
      String key = "guidance-" + each.givenAt() + "-" + Integer.toHexString(each.text().hashCode());
      inputs.add(new Input(key, words(each)));
    }
    return inputs;
  }

  private static String task(String payload) {
    JsonNode prompt = JsonMapper.shared().readTree(payload).path("prompt");
    return prompt.isString() && !prompt.stringValue().isBlank() ? prompt.stringValue() : payload;
  }

  private static String words(Guidance guidance) {
    String when =
        guidance.source().equals("reject")
            ? " has looked at the report, did not accept it, and says:\n"
            : " has sent the task back to work and says:\n";
    return "A person (" + guidance.author() + ")" + when + guidance.text();
  }
}
