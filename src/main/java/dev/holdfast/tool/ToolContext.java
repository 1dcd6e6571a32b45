package dev.holdfast.tool;

/**
 * @param callId the model's id of the call
 * @param attempt from 1; grows where the call is retried
 */
public record ToolContext(String callId, int attempt) {}
