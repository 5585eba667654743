import type { Draft } from "../../../meta/schema.ts";
import type { Strategy } from "../../../meta/strategy.ts";
import type { ServiceAccount } from "./schema.ts";
import { serviceAccountWarnings } from "./warnings.ts";

export const serviceAccountStrategy: Strategy<ServiceAccount> = {
  prepareForCreate: keepSecretNames,
  prepareForUpdate: keepSecretNames,
  warnings: serviceAccountWarnings,
  returnDeletedObject: true,
  columns: [],
};

/** Keeps only the names of the Secrets that Pods may use. */
function keepSecretNames(draft: Draft<ServiceAccount>): void {
  if (draft.secrets === undefined) return;
  draft.secrets = draft.secrets.map(({ name }) => (name === undefined ? {} : { name }));
}
