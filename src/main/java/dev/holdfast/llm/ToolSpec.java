package dev.holdfast.llm;

import tools.jackson.databind.JsonNode;

/**
 * A tool as a model is told of it.
 *
 * @param arguments a JSON schema of type object
 */
public record ToolSpec(String name, String description, JsonNode arguments) {}
