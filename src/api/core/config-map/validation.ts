import { type FieldError, invalid, root, tooLong } from "../../../meta/field-error.ts";
import { report } from "../../../meta/validation/report.ts";
import { configKeyProblems } from "../../../meta/validation/text.ts";
import { base64Bytes, dataPath, maxBytes, validateFrozen } from "../validation/data.ts";
import type { ConfigMap } from "./schema.ts";

export function* validateConfigMap({ data = {}, binaryData = {} }: ConfigMap): Generator<FieldError> {
  let bytes = 0;
  for (const [key, value] of Object.entries(data)) {
    yield* report(dataPath.key(key), key, configKeyProblems(key));
    if (Object.hasOwn(binaryData, key)) {
      yield invalid(dataPath.key(key), key, "duplicate of key present in binaryData");
    }
    bytes += Buffer.byteLength(value);
  }
  for (const [key, value] of Object.entries(binaryData)) {
    yield* report(root.child("binaryData").key(key), key, configKeyProblems(key));
    bytes += base64Bytes(value);
  }
  if (bytes > maxBytes) yield tooLong(root, maxBytes);
}

export function* validateConfigMapUpdate(map: ConfigMap, old: ConfigMap): Generator<FieldError> {
  yield* validateFrozen(map, old, ["data", "binaryData"]);
}
