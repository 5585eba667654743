import { DecodeError } from "../../meta/decode.ts";
import type { Draft } from "../../meta/schema.ts";
import { errors } from "../../meta/status.ts";
import { settleSchema } from "./schema/canonical.ts";
import type { CustomResourceDefinition } from "./v1/custom-resource-definition.ts";

/** @throws StatusError when a schema has parts that are none. */
export function defaultDefinition({ kind, spec, status }: Draft<CustomResourceDefinition>): void {
  const { names } = spec;
  if (names.kind !== "") {
    names.singular ??= names.kind.toLowerCase();
    names.listKind ??= `${names.kind}List`;
  }
  const { webhook } = spec.conversion ?? {};
  if (webhook?.clientConfig === undefined && webhook?.conversionReviewVersions.length === 0) {
    delete spec.conversion?.webhook;
  }
  const storage = spec.versions.find(({ storage }) => storage);
  if (status.storedVersions.length === 0 && storage !== undefined) status.storedVersions = [storage.name];
  try {
    for (const { schema } of spec.versions) {
      if (schema?.openAPIV3Schema !== undefined) settleSchema(schema.openAPIV3Schema);
    }
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw errors.badRequest(
      `${kind} in version "v1" cannot be handled as a ${kind}: ${error.message}`,
      error,
    );
  }
}
