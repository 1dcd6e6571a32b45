package dev.holdfast.llm;

import tools.jackson.databind.JsonNode;

/**
 * The description of a tool for a model.
 *
 * @param arguments a JSON schema of type object
 */
public record ToolSpec(String name, String description, JsonNode arguments) {}
