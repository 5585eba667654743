import type { SelectorChecker } from "../api/resource/selectors.ts";
import { compile } from "../cel/compile.ts";
import type { SizeEstimator } from "../cel/cost/knowledge.ts";
import { type Environment, environment, type TypeProvider } from "../cel/environment.ts";
import { bindings } from "../cel/libraries/bindings.ts";
import { quantity } from "../cel/libraries/quantities.ts";
import { any, bool, mapOf, objectType, sameType, string } from "../cel/types.ts";
import type { Type } from "../cel/type.ts";
import { type FieldError, forbidden, internal, invalid } from "../meta/field-error.ts";
import { kubernetesLibraries } from "./kubernetes-environment.ts";

/** The greatest cost of selecting one device, in units of CEL. */
const costLimit = 1_000_000;

/** The type and greatest size of a part of a device. */
interface Part {
  readonly type: Type;
  readonly max: number;
  readonly keys?: Part;
  readonly values?: Part;
}

const text = (max: number): Part => ({ type: string, max });
const entries = (keys: Part, values: Part): Part => ({
  type: mapOf(keys.type, values.type),
  max: 32,
  keys,
  values,
});

const [domain, id] = [text(63), text(32)];
const attribute: Part = { type: any, max: 64 };
const deviceType = objectType("kubernetes.DRADevice");
const fields = new Map<string, Part>([
  ["driver", text(63)],
  ["allowMultipleAllocations", { type: bool, max: 1 }],
  ["attributes", entries(domain, entries(id, attribute))],
  ["capacity", entries(domain, entries(id, { type: quantity, max: 0 }))],
]);

const deviceTypes: TypeProvider = {
  findType: (name) => (name === deviceType.name ? deviceType : undefined),
  findField: (type, field) => (type === deviceType.name ? fields.get(field)?.type : undefined),
};

const sizes: SizeEstimator = {
  sizeOf: ([variable, field, ...path]) => {
    if (variable !== "device") return undefined;
    if (field === undefined) return { min: 0, max: 0 };
    let part = fields.get(field);
    for (const step of path) part = part && partOf(part, step);
    return part && { min: 0, max: part.max };
  },
};

function partOf({ keys, values }: Part, step: string): Part | undefined {
  if (step === "@keys") return keys;
  // Attributes of any name have the same type.
  return step === "@items" || step === "@values" || values === attribute ? values : undefined;
}

let declared: Environment | undefined;

/**
 * Checks selectors of devices when they are written (`k8s.io/dynamic-resource-allocation/cel/compile.go`).
 */
export const checkSelector: SelectorChecker = function* (source, path): Generator<FieldError> {
  declared ??= environment({
    libraries: [...kubernetesLibraries, bindings],
    variables: { device: deviceType },
    types: [deviceTypes],
  });
  const compiled = compile(declared, source);
  const type = compiled.ok ? compiled.program.type : compiled.type;
  if (type !== undefined && !sameType(type, bool) && !sameType(type, any)) {
    yield invalid(path, source, `must evaluate to bool or the unknown type, not ${type.declaration}`);
  } else if (compiled.ok) {
    if (compiled.program.estimate(sizes).max > costLimit) {
      yield forbidden(path, "too complex, exceeds cost limit");
    }
  } else if (compiled.stage === "instantiation") {
    yield internal(path, `program instantiation failed: ${compiled.message}`);
  } else yield invalid(path, source, `compilation failed: ${compiled.message}`);
};
