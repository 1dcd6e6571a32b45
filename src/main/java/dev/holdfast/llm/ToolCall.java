package dev.holdfast.llm;

/**
 * A call that a model asks for, as it came: neither the name nor the arguments are checked.
 *
 * @param id the model's id of the call; its result carries the same
 * @param arguments the raw text, meant to be a JSON object
 */
public record ToolCall(String id, String name, String arguments) {}
