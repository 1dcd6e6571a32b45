package dev.holdfast.architecture;

import static com.tngtech.archunit.core.importer.ImportOption.Predefined.DO_NOT_INCLUDE_TESTS;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;

/** The classes of the program; reading them takes seconds, so all rules share one reading. */
final class MainClasses {
  static final String BASE = "dev.holdfast";

  static final JavaClasses ALL =
      new ClassFileImporter().withImportOption(DO_NOT_INCLUDE_TESTS).importPackages(BASE);

  private MainClasses() {}
}
