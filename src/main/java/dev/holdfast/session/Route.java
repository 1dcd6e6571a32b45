package dev.holdfast.session;

import dev.holdfast.llm.ChatProvider;
import dev.holdfast.llm.Target;

/** A target and who takes its calls. */
public record Route(Target target, ChatProvider provider) {}
