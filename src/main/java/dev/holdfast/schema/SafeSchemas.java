package dev.holdfast.schema;

import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SchemaRegistryConfig;
import com.networknt.schema.SpecificationVersion;
import com.networknt.schema.path.PathType;
import java.util.Locale;
import tools.jackson.databind.JsonNode;

/**
 * Makes schemas of documents that somebody else wrote. They never load another document, whatever a
 * {@code $ref} says. Thread-safe.
 */
public final class SafeSchemas {
  private static final SchemaRegistry REGISTRY =
      SchemaRegistry.withDefaultDialect(
          SpecificationVersion.DRAFT_2020_12,
          builder ->
              builder
                  .schemaLoader(
                      loader ->
                          loader.block(
                              iri -> !iri.toString().startsWith("https://json-schema.org/")))
                  .schemaRegistryConfig(
                      SchemaRegistryConfig.builder()
                          .locale(Locale.ENGLISH)
                          .pathType(PathType.JSON_POINTER)
                          .errorMessageKeyword("errorMessage")
                          .build()));

  private SafeSchemas() {}

  /** The schema of a document of draft 2020-12. */
  public static Schema of(JsonNode document) {
    return REGISTRY.getSchema(document);
  }
}
