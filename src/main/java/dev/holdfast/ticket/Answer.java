package dev.holdfast.ticket;

/**
 * A person's answer to the question of a job.
 *
 * @param question what the job had asked
 * @param value the answer as JSON text: a text stands in quotes
 */
public record Answer(String question, String value) {}
