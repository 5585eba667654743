import type { Draft } from "../../../meta/schema.ts";
import type { CustomResourceDefinition } from "./schema.ts";

export function defaultDefinition({ spec, status }: Draft<CustomResourceDefinition>): void {
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
}
