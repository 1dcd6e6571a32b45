/** What a session hands back: its result, its exit code and the final report. */
@NullMarked
package dev.holdfast.session.report;

import org.jspecify.annotations.NullMarked;
