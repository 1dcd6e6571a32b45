/** The result of a session, its exit code and the final report. */
@NullMarked
package dev.holdfast.session.report;

import org.jspecify.annotations.NullMarked;
