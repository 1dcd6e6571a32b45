/** Commands for those who run Holdfast: schema, designs, providers, budgets, tokens, checks. */
@NullMarked
package dev.holdfast.cli.admin;

import org.jspecify.annotations.NullMarked;
