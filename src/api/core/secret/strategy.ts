import type { Draft } from "../../../meta/schema.ts";
import type { Strategy } from "../../../meta/strategy.ts";
import { secretColumns } from "./printer.ts";
import type { Secret } from "./schema.ts";
import { validateSecret, validateSecretUpdate } from "./validation.ts";
import { keyPairWarnings } from "./warnings.ts";

export const secretStrategy: Strategy<Secret> = {
  setDefaults: encodeStringData,
  validate: validateSecret,
  validateUpdate: validateSecretUpdate,
  warnings: keyPairWarnings,
  columns: secretColumns,
  selectableFields: { type: ({ type }) => type ?? "" },
};

/** Converts `stringData` to `data`. `stringData` is write-only. */
function encodeStringData(draft: Draft<Secret>): void {
  if (draft.stringData === undefined) return;
  const encoded = Object.entries(draft.stringData).map(
    ([key, text]) => [key, Buffer.from(text).toString("base64")] as const,
  );
  draft.data = { ...draft.data, ...Object.fromEntries(encoded) };
  delete draft.stringData;
}
