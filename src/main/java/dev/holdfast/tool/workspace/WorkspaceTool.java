package dev.holdfast.tool.workspace;

import dev.holdfast.llm.ToolSpec;
import dev.holdfast.tool.CallPreview;
import dev.holdfast.tool.FileOperationException;
import dev.holdfast.tool.ModelRetryException;
import dev.holdfast.tool.SecurityViolationException;
import dev.holdfast.tool.Tool;
import dev.holdfast.tool.ToolContext;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A tool of a workspace. Errors that the model can correct go to it as a question (C20): a missing
 * file, a path that is none, a path that leads out. Other I/O errors are failures.
 */
final class WorkspaceTool implements Tool {
  private static final JsonMapper MAPPER = new JsonMapper();

  private final ToolSpec spec;
  private final Effect effect;
  private final Body body;
  private final Set<String> freeArguments;
  private final Preview preview;

  /** The effect on the workspace. */
  enum Effect {
    /** The tool only reads; it is idempotent, and runs beside others. */
    READS,
    /** The result is the same whether the tool runs once or twice. */
    REPLACES,
    CHANGES
  }

  /** The work of the tool. */
  interface Body {
    String call(JsonNode arguments) throws IOException, InterruptedException;
  }

  /** The effect of a call, as {@link CallPreview#effect()}. */
  interface Preview {
    String of(JsonNode arguments) throws IOException, InterruptedException;
  }

  /**
   * @param schema of its arguments, as JSON text
   */
  WorkspaceTool(String name, String description, String schema, Effect effect, Body body) {
    this(
        new ToolSpec(name, description.strip(), MAPPER.readTree(schema)),
        effect,
        body,
        Set.of(),
        arguments -> "");
  }

  private WorkspaceTool(
      ToolSpec spec, Effect effect, Body body, Set<String> freeArguments, Preview preview) {
    this.spec = spec;
    this.effect = effect;
    this.body = body;
    this.freeArguments = freeArguments;
    this.preview = preview;
  }

  /**
   * Returns the same tool with a preview, for people who have to allow its calls.
   *
   * @param free see {@link CallPreview#freeArguments()}
   */
  WorkspaceTool withPreview(Set<String> free, Preview other) {
    return new WorkspaceTool(spec, effect, body, free, other);
  }

  /** Previews a call; one that would fail is shown with its failure. */
  @Override
  public CallPreview preview(JsonNode arguments) throws InterruptedException {
    try {
      return new CallPreview(preview.of(arguments), freeArguments);
    } catch (IOException | ModelRetryException | SecurityViolationException e) {
      return CallPreview.failing(e.getMessage(), freeArguments);
    }
  }

  @Override
  public ToolSpec spec() {
    return spec;
  }

  @Override
  public boolean isIdempotent() {
    return effect != Effect.CHANGES;
  }

  @Override
  public boolean runsAlone() {
    return effect != Effect.READS;
  }

  @Override
  public String call(JsonNode arguments, ToolContext context)
      throws IOException, InterruptedException {
    try {
      return body.call(arguments);
    } catch (NoSuchFileException e) {
      String path = arguments.path("path").asString(e.getFile());
      throw new ModelRetryException("File not found: " + path + ". Check the path.", e);
    } catch (AccessDeniedException e) {
      String path = arguments.path("path").asString(e.getFile());
      throw new ModelRetryException("Permission denied: " + path + ". Go on without it.", e);
    } catch (SecurityViolationException e) {
      throw new ModelRetryException("Security violation: " + e.getMessage() + ".", e);
    } catch (WrongPathException e) {
      throw new ModelRetryException(String.valueOf(e.getMessage()), e);
    } catch (ClosedByInterruptException e) {
      throw e;
    } catch (IOException e) {
      throw new FileOperationException(spec.name() + " failed: " + e, e);
    }
  }
}
