@NullMarked
package dev.holdfast.workflow;

import org.jspecify.annotations.NullMarked;
