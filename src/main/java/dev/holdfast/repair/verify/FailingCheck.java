package dev.holdfast.repair.verify;

/**
 * One thing that failed.
 *
 * @param command the name of the verify command
 * @param name of the test, such as {@code com.example.FooTest.adds}; where there is no report, how
 *     the command ended, such as {@code exit code 1} or {@code timed out after 300 s}
 * @param message what it says, cut; "" for nothing
 */
public record FailingCheck(String command, String name, String message) {}
