@NullMarked
package dev.holdfast.cli.ticket;

import org.jspecify.annotations.NullMarked;
