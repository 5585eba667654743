import type { CompiledSelector, SelectorChecker, SelectorCompiler } from "../api/resource/selectors.ts";
import type { Device, DeviceAttribute } from "../api/resource/v1/device.ts";
import { compile } from "../cel/compile.ts";
import type { SizeEstimator } from "../cel/cost/knowledge.ts";
import { type Environment, environment, type TypeProvider } from "../cel/environment.ts";
import { bindings } from "../cel/libraries/bindings.ts";
import { Quantity, quantity } from "../cel/libraries/quantities.ts";
import { parseSemver } from "../cel/libraries/versions.ts";
import { integer } from "../cel/integers.ts";
import { runtimeType } from "../cel/runtime-type.ts";
import { any, bool, mapOf, objectType, sameType, string } from "../cel/types.ts";
import type { Type } from "../cel/type.ts";
import { CelError, CelMap, CelObject, type Result, type Value } from "../cel/values.ts";
import { type FieldError, forbidden, internal, invalid } from "../meta/field-error.ts";
import { amounts } from "./amounts.ts";
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

function deviceEnvironment(): Environment {
  declared ??= environment({
    libraries: [...kubernetesLibraries, bindings],
    variables: { device: deviceType },
    types: [deviceTypes],
  });
  return declared;
}

/**
 * Checks selectors of devices when they are written (`k8s.io/dynamic-resource-allocation/cel/compile.go`).
 */
export const checkSelector: SelectorChecker = function* (source, path): Generator<FieldError> {
  const compiled = compile(deviceEnvironment(), source);
  const type = compiled.ok ? compiled.program.type : compiled.type;
  if (type !== undefined && !isAccepted(type)) {
    yield invalid(path, source, wrongType(type));
  } else if (compiled.ok) {
    if (compiled.program.estimate(sizes).max > costLimit) {
      yield forbidden(path, "too complex, exceeds cost limit");
    }
  } else if (compiled.stage === "instantiation") {
    yield internal(path, `program instantiation failed: ${compiled.message}`);
  } else yield invalid(path, source, `compilation failed: ${compiled.message}`);
};

/** An attribute may be true or false, and its type is unknown until then. */
const isAccepted = (type: Type) => sameType(type, bool) || sameType(type, any);
const wrongType = (type: Type) => `must evaluate to bool or the unknown type, not ${type.declaration}`;

/** Compiles a selector of devices, to evaluate it for many (`DeviceMatches` in the same file). */
export const compileSelector: SelectorCompiler = (source) => {
  const compiled = compile(deviceEnvironment(), source);
  const type = compiled.ok ? compiled.program.type : compiled.type;
  if (type !== undefined && !isAccepted(type)) return failing(`CEL compile error: ${wrongType(type)}`);
  if (!compiled.ok) {
    const stage = compiled.stage === "instantiation" ? "program instantiation" : compiled.stage;
    return failing(`CEL compile error: ${stage} failed: ${compiled.message}`);
  }
  const { program } = compiled;
  return (driver, device) => {
    const value = valueOf(driver, device);
    if (value instanceof CelError)
      return { outcome: { error: `CEL runtime error: ${value.message}` }, cost: 1 };
    const { result, cost } = program.evaluate({ device: value }, costLimit);
    if (typeof result === "boolean") return { outcome: result, cost };
    const why =
      result instanceof CelError
        ? result.message
        : `CEL result of type ${runtimeType(result).name} could not be converted to bool`;
    return { outcome: { error: `CEL runtime error: ${why}` }, cost };
  };
};

const failing =
  (error: string): CompiledSelector =>
  () => ({ outcome: { error }, cost: 1 });

/** Devices are immutable, and many expressions are evaluated for each. */
const values = new WeakMap<Device, DeviceValue | CelError>();

function valueOf(driver: string, device: Device): DeviceValue | CelError {
  const known = values.get(device);
  if (known !== undefined) return known;
  const value = convert(driver, device);
  values.set(device, value);
  return value;
}

function convert(driver: string, device: Device): DeviceValue | CelError {
  const attributes = new Map<string, Map<string, Value>>();
  for (const [name, one] of Object.entries(device.attributes ?? {})) {
    const value = attributeValue(one);
    if (value instanceof CelError) return new CelError(`attribute ${name}: ${value.message}`);
    put(attributes, name, driver, value);
  }
  const capacity = new Map<string, Map<string, Value>>();
  for (const [name, { value }] of Object.entries(device.capacity ?? {})) {
    const amount = amounts.parse(value);
    if (amount instanceof CelError) return new CelError(`capacity ${name}: ${amount.message}`);
    put(capacity, name, driver, new Quantity(amount));
  }
  return new DeviceValue(
    new Map<string, Value>([
      ["driver", driver],
      ["allowMultipleAllocations", device.allowMultipleAllocations === true],
      ["attributes", new DomainMap(attributes)],
      ["capacity", new DomainMap(capacity)],
    ]),
  );
}

function attributeValue({ int, bool: truth, string: text, version }: DeviceAttribute): Result {
  if (int !== undefined) return integer(BigInt(int));
  if (truth !== undefined) return truth;
  if (text !== undefined) return text;
  if (version === undefined) return new CelError("unsupported attribute value");
  const parsed = parseSemver(version);
  return parsed instanceof CelError ? new CelError(`parse semantic version: ${parsed.message}`) : parsed;
}

/** A name without a domain has the driver's. */
function put(into: Map<string, Map<string, Value>>, name: string, driver: string, value: Value): void {
  const slash = name.indexOf("/");
  const owner = slash < 0 ? driver : name.slice(0, slash);
  const known = into.get(owner) ?? new Map<string, Value>();
  into.set(owner, known);
  known.set(name.slice(slash + 1), value);
}

class TextMap extends CelMap {
  readonly #entries: ReadonlyMap<string, Value>;

  constructor(entries: ReadonlyMap<string, Value>) {
    super();
    this.#entries = entries;
  }

  override get size(): number {
    return this.#entries.size;
  }

  override get(key: Value): Result | undefined {
    return typeof key === "string" ? this.#entries.get(key) : undefined;
  }

  override keys(): Iterable<Value> {
    return this.#entries.keys();
  }
}

const nothing = new TextMap(new Map());

/** Attributes or capacities by their domains. A domain that the device does not use is empty. */
class DomainMap extends TextMap {
  constructor(entries: ReadonlyMap<string, ReadonlyMap<string, Value>>) {
    super(new Map([...entries].map(([owner, known]) => [owner, new TextMap(known)])));
  }

  override get(key: Value): Result | undefined {
    return super.get(key) ?? nothing;
  }

  override has(key: Value): boolean {
    return super.get(key) !== undefined;
  }
}

class DeviceValue extends CelObject {
  readonly type: Type = deviceType;
  readonly #fields: ReadonlyMap<string, Value>;

  constructor(fields: ReadonlyMap<string, Value>) {
    super();
    this.#fields = fields;
  }

  override equals(other: Value): boolean {
    return other === this;
  }

  override field(name: string): Value | undefined {
    return this.#fields.get(name);
  }
}
