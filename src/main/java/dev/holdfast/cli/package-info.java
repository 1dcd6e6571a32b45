/**
 * The commands: what people type, and what is printed. They see only the ports; the composition
 * root gives them what they need.
 */
@NullMarked
package dev.holdfast.cli;

import org.jspecify.annotations.NullMarked;
