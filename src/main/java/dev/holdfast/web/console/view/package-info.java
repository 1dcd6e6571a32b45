/** Parts of the console's pages: how errors, results, changes, transcripts and times are shown. */
@NullMarked
package dev.holdfast.web.console.view;

import org.jspecify.annotations.NullMarked;
