import {
  type FieldError,
  type FieldPath,
  invalid,
  requiredValue,
  root,
  tooLong,
} from "../../../meta/field-error.ts";
import { validateImmutable } from "../../../meta/validation/immutable.ts";
import { report } from "../../../meta/validation/report.ts";
import { configKeyProblems } from "../../../meta/validation/text.ts";
import { base64Bytes, dataPath, maxBytes, validateFrozen } from "../validation/data.ts";
import type { Secret } from "./schema.ts";

export function* validateSecretUpdate(secret: Secret, old: Secret): Generator<FieldError> {
  yield* validateImmutable(secret.type, old.type, root.child("type"));
  yield* validateFrozen(secret, old, ["data"]);
}

const serviceAccountName = "kubernetes.io/service-account.name";

export function* validateSecret({ metadata, data = {}, type }: Secret): Generator<FieldError> {
  let bytes = 0;
  for (const [key, value] of Object.entries(data)) {
    yield* report(dataPath.key(key), key, configKeyProblems(key));
    bytes += base64Bytes(value);
  }
  if (bytes > maxBytes) yield tooLong(dataPath, maxBytes);
  const missing = (key: string) => data[key] === undefined;
  switch (type) {
    case "kubernetes.io/service-account-token":
      if ((metadata.annotations?.[serviceAccountName] ?? "") === "") {
        yield requiredValue(root.child("metadata", "annotations").key(serviceAccountName));
      }
      break;
    case "kubernetes.io/dockercfg":
      yield* validateJson(data, ".dockercfg");
      break;
    case "kubernetes.io/dockerconfigjson":
      yield* validateJson(data, ".dockerconfigjson");
      break;
    case "kubernetes.io/basic-auth":
      if (missing("username") && missing("password")) yield* requireKeys("username", "password");
      break;
    case "kubernetes.io/ssh-auth":
      if ((data["ssh-privatekey"] ?? "") === "") yield* requireKeys("ssh-privatekey");
      break;
    case "kubernetes.io/tls":
      yield* requireKeys(...["tls.crt", "tls.key"].filter(missing));
      break;
  }
}

function* requireKeys(...keys: readonly string[]): Generator<FieldError> {
  for (const key of keys) yield requiredValue(dataPath.key(key));
}

/** Requires valid JSON. The message does not contain the Secret's value. */
function* validateJson(data: Readonly<Record<string, string>>, key: string): Generator<FieldError> {
  const value = data[key];
  const place: FieldPath = dataPath.key(key);
  if (value === undefined) {
    yield requiredValue(place);
    return;
  }
  const problem = jsonObjectProblem(Buffer.from(value, "base64").toString());
  if (problem !== undefined) yield invalid(place, "<secret contents redacted>", problem);
}

function jsonObjectProblem(text: string): string | undefined {
  if (text === "") return "unexpected end of JSON input";
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === "object" && !Array.isArray(value);
    return isObject
      ? undefined
      : "json: cannot unmarshal value into Go value of type map[string]interface {}";
  } catch {
    return "invalid JSON";
  }
}
