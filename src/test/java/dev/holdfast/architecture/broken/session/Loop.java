package dev.holdfast.architecture.broken.session;

import dev.holdfast.architecture.broken.session.retry.RetryThatKnowsItsLoop;

public record Loop(RetryThatKnowsItsLoop retry) {}
