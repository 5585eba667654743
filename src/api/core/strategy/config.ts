import type { Draft } from "../../../meta/schema.ts";
import type { Strategy } from "../../../meta/strategy.ts";
import { configMapColumns, secretColumns } from "../printers/plain.ts";
import type { ConfigMap } from "../v1/config-map.ts";
import type { Secret } from "../v1/secret.ts";
import type { ServiceAccount } from "../v1/service-account.ts";
import {
  validateConfigMap,
  validateConfigMapUpdate,
  validateSecret,
  validateSecretUpdate,
} from "../validation/config.ts";
import { keyPairWarnings } from "../warnings/key-pair.ts";
import { serviceAccountWarnings } from "../warnings/plain.ts";

export const configMapStrategy: Strategy<ConfigMap> = {
  validate: validateConfigMap,
  validateUpdate: validateConfigMapUpdate,
  columns: configMapColumns,
};

export const secretStrategy: Strategy<Secret> = {
  setDefaults: encodeStringData,
  validate: validateSecret,
  validateUpdate: validateSecretUpdate,
  warnings: keyPairWarnings,
  columns: secretColumns,
  selectableFields: { type: ({ type }) => type ?? "" },
};

/** Values given as text are only ever written: they become data at once. */
function encodeStringData(draft: Draft<Secret>): void {
  if (draft.stringData === undefined) return;
  const encoded = Object.entries(draft.stringData).map(
    ([key, text]) => [key, Buffer.from(text).toString("base64")] as const,
  );
  draft.data = { ...draft.data, ...Object.fromEntries(encoded) };
  delete draft.stringData;
}

export const serviceAccountStrategy: Strategy<ServiceAccount> = {
  prepareForCreate: keepSecretNames,
  prepareForUpdate: keepSecretNames,
  warnings: serviceAccountWarnings,
  returnDeletedObject: true,
  columns: [],
};

/** Of a Secret that Pods may use, only the name counts. */
function keepSecretNames(draft: Draft<ServiceAccount>): void {
  if (draft.secrets === undefined) return;
  draft.secrets = draft.secrets.map(({ name }) => (name === undefined ? {} : { name }));
}
