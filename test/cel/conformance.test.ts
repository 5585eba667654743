import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { kubernetesLibraries } from "../../src/expressions/kubernetes-environment.ts";
import { check } from "../../src/cel/check.ts";
import { ArrayList, HashMap } from "../../src/cel/collections.ts";
import type { FunctionDeclaration, Library, Overload } from "../../src/cel/declarations.ts";
import { BudgetExceeded } from "../../src/cel/effort.ts";
import { environment } from "../../src/cel/environment.ts";
import { equal } from "../../src/cel/equality.ts";
import { formatValue } from "../../src/cel/format-value.ts";
import { Frame } from "../../src/cel/frame.ts";
import { integer } from "../../src/cel/integers.ts";
import { bindings } from "../../src/cel/libraries/bindings.ts";
import { parse } from "../../src/cel/parser.ts";
import { PlanError } from "../../src/cel/plan/planned.ts";
import { Planner } from "../../src/cel/plan/planner.ts";
import { renderIssues } from "../../src/cel/source.ts";
import { runtimeType } from "../../src/cel/runtime-type.ts";
import { Type } from "../../src/cel/type.ts";
import * as t from "../../src/cel/types.ts";
import * as v from "../../src/cel/values.ts";

/** CEL's published conformance tests (see the fixtures' README). */
const folder = new URL("../fixtures/cel/conformance/", import.meta.url);

type TypeForm = string | readonly [string, ...unknown[]];
type ValueForm = readonly [string, ...unknown[]];

interface Case {
  readonly section: string;
  readonly name: string;
  readonly expr: string;
  readonly noMacros?: boolean;
  readonly unchecked?: boolean;
  readonly checkOnly?: boolean;
  readonly container?: string;
  readonly variables?: Readonly<Record<string, TypeForm>>;
  readonly functions?: readonly (readonly [string, string, boolean, readonly TypeForm[], TypeForm])[];
  readonly bindings?: Readonly<Record<string, ValueForm>>;
  readonly value?: ValueForm;
  readonly type?: TypeForm;
  readonly error?: string;
  readonly unknown?: boolean;
}

const simpleTypes: Readonly<Record<string, Type>> = {
  any: t.any,
  bool: t.bool,
  bytes: t.bytes,
  double: t.double,
  duration: t.duration,
  dyn: t.dyn,
  error: t.errorType,
  int: t.int,
  null: t.nullType,
  string: t.string,
  timestamp: t.timestamp,
  uint: t.uint,
};

function readType(form: TypeForm): Type {
  if (typeof form === "string") return simpleTypes[form]!;
  const [kind, ...rest] = form;
  const types = rest.map((one) =>
    kind === "opaque" || kind === "message" ? t.dyn : readType(one as TypeForm),
  );
  switch (kind) {
    case "list":
      return t.listOf(types[0]!);
    case "map":
      return t.mapOf(types[0]!, types[1]!);
    case "opaque":
      return t.opaque(rest[0] as string, ...rest.slice(1).map((one) => readType(one as TypeForm)));
    case "message":
      return t.objectType(rest[0] as string);
    case "parameter":
      return t.parameter(rest[0] as string);
    case "wrapper":
      return t.nullable(types[0]!);
    default:
      return rest.length === 0 ? t.typeType : t.typeOf(types[0]!);
  }
}

function readValue([kind, content, nanos]: ValueForm): v.Value {
  switch (kind) {
    case "null":
      return null;
    case "int":
      return integer(BigInt(content as string));
    case "uint":
      return new v.Uint(integer(BigInt(content as string)));
    case "double":
      return new v.Double(Number(String(content).replace("Inf", "Infinity")));
    case "bytes":
      return new Uint8Array(Buffer.from(content as string, "base64"));
    case "list":
      return new ArrayList((content as ValueForm[]).map(readValue));
    case "map": {
      const map = new HashMap();
      for (const [key, value] of content as [ValueForm, ValueForm][])
        map.set(readValue(key), readValue(value));
      return map;
    }
    case "type":
      return new Type("opaque", content as string);
    case "duration":
      return new v.Duration(integer(BigInt(content as string)));
    case "timestamp":
      return new v.Timestamp(Number(content), Number(nanos));
    default:
      return content as string | boolean;
  }
}

/** Cases about the fourth version of the string library; Kubernetes has the second. */
const laterFormat = [
  "scientific notation formatting clause",
  "default precision for fixed-point clause with int",
  "default precision for fixed-point clause with uint",
  "default precision for scientific notation",
  "default precision for scientific notation with int",
  "default precision for scientific notation with uint",
  "NaN support for scientific notation",
  "positive infinity support for scientific notation",
  "negative infinity support for scientific notation",
  "NaN support for decimal",
  "positive infinity support for decimal",
  "negative infinity support for decimal",
  "positive infinity support for fixed-point",
  "negative infinity support for fixed-point",
  "list support for string",
  "map support for string",
  "map support (all key types)",
  "dyntype support for scientific notation",
  "dyntype NaN/infinity support",
  "dyntype support for lists",
  "dyntype support for maps",
  "scientific notation formatting clause in a string variable",
];

/** Cases in which cel-go 0.26, as Kubernetes runs it, differs from the tests, and so does Knarr. */
const upstreamDiffers: Readonly<Record<string, string>> = {
  "bindings_ext/bind/shadowing_namespace_resolution": "containers come before variables of comprehensions",
  "bindings_ext/bind/shadowing_namespace_resolution_selector":
    "containers come before variables of comprehensions",
  "namespace/namespace_shadowing": "containers come before variables of comprehensions",
  "fields/qualified_identifier_resolution/map_key_float": "a double may be a key",
  "fields/qualified_identifier_resolution/map_key_null": "null may be a key",
  "fields/qualified_identifier_resolution/map_value_repeat_key": "the last of equal keys counts",
  "fields/qualified_identifier_resolution/map_value_repeat_key_heterogeneous": "1 and 1u are two keys",
  "fields/map_fields/map_bad_key_type_or_true":
    "a constant that cannot be a key is refused before the evaluation",
  "fields/map_fields/map_bad_key_type_and_false":
    "a constant that cannot be a key is refused before the evaluation",
  "optionals/optionals/map_null_entry_no_such_key":
    "a lookup in a simple value finds nothing instead of failing",
  "optionals/optionals/map_present_key_invalid_field":
    "a lookup in a simple value finds nothing instead of failing",
  "type_deduction/legacy_nullable_types/null_assignable_to_abstract_parameter_candidate":
    "an optional and null join to null, in literals that Kubernetes refuses",
  "string_ext/value_errors/indexof_out_of_range": "a search beyond the end finds nothing instead of failing",
  "string_ext/value_errors/lastindexof_out_of_range":
    "a search beyond the end finds nothing instead of failing",
  "lists_ext/range/negative_error": "a range to a negative number is empty instead of an error",
  "network_ext/ipv4/ipv4_equals_ipv6": "IPv4-mapped addresses are invalid",
  "network_ext/ipv4/ipv4_not_equals_ipv6": "IPv4-mapped addresses are invalid",
  "string_ext/reverse": "a later version of the library",
  ...Object.fromEntries(
    laterFormat.map((name) => [`string_ext/format/${name}`, "a later version of the library"]),
  ),
};

/** Returns the feature of a case that Kubernetes does not have, or that Knarr does not have yet. */
function reasonToSkip(
  file: string,
  { section, name, expr, container, variables, bindings: bound, value, type, unknown }: Case,
) {
  const differs = upstreamDiffers[`${file}/${section}/${name}`] ?? upstreamDiffers[`${file}/${section}`];
  if (differs !== undefined) return `upstream's difference: ${differs}`;
  if (container === "google.protobuf") return "protocol buffer messages";
  const text = JSON.stringify([expr, container, variables, bound, value, type]);
  if (
    /"message"|\["enum"|TestAllTypes|NestedTestAllTypes|google\.protobuf\.(?!Duration|Timestamp)|cel\.expr/.test(
      text,
    )
  ) {
    return "protocol buffer messages";
  }
  if (/google\.protobuf\.(Duration|Timestamp)\{/.test(expr)) return "protocol buffer messages";
  if (unknown === true) return "unknown values";
  if (/\.`/.test(expr)) return "names of fields in backticks";
  return undefined;
}

function declarations(functions: Case["functions"] = []): Library {
  const byName = Map.groupBy(functions, ([name]) => name);
  const declared = [...byName].map(([name, overloads]): FunctionDeclaration => ({
    name,
    overloads: overloads.map(([, id, member, parameters, result]): Overload => ({
      id,
      member,
      parameters: parameters.map(readType),
      result: readType(result),
      call: () => v.noSuchOverload,
    })),
  }));
  return { functions: declared };
}

interface Outcome {
  readonly type: string;
  readonly result: v.Result | undefined;
}

/** Runs a case like `compile`, but plans an expression with type errors when the case disables checks. */
function run(one: Case): Outcome | string {
  const types = Object.entries(one.variables ?? {}).map(([name, form]) => [name, readType(form)] as const);
  const declared = environment({
    libraries: [...kubernetesLibraries, bindings, declarations(one.functions)],
    variables: Object.fromEntries(types),
    container: one.container ?? "",
  });
  const parsed = parse(one.expr, one.noMacros === true ? { ...declared, macros: new Map() } : declared);
  if (!parsed.ok) return renderIssues(one.expr, parsed.issues);
  const { checked, issues } = check(declared, parsed.expression);
  if (issues.length > 0 && one.unchecked !== true) return renderIssues(one.expr, issues);
  const type = checked.types[parsed.expression.id]?.text ?? "";
  if (one.checkOnly === true) return { type, result: undefined };
  try {
    const planner = new Planner(declared, checked);
    const step = planner.plan(parsed.expression).run;
    const bound = Object.entries(one.bindings ?? {}).map(([name, form]) => [name, readValue(form)]);
    return { type, result: step(new Frame(Object.fromEntries(bound), planner.slots, 1e6)) };
  } catch (error) {
    if (!(error instanceof PlanError || error instanceof BudgetExceeded)) throw error;
    return { type, result: new v.CelError(error.message) };
  }
}

/** Returns the mistake in the outcome; undefined when there is none. */
function complaint(one: Case, outcome: Outcome | string): string | undefined {
  if (typeof outcome === "string") return one.error === undefined ? outcome : undefined;
  const { type, result } = outcome;
  if (one.type !== undefined && type !== readType(one.type).text)
    return `type ${type}, not ${readType(one.type).text}`;
  if (result === undefined) return undefined;
  if (result instanceof v.CelError) return one.error === undefined ? `error: ${result.message}` : undefined;
  if (one.error !== undefined) return `${formatValue(result)}, not the error ${one.error}`;
  const wanted = readValue(one.value ?? ["bool", true]);
  const isNan = (value: v.Value) => value instanceof v.Double && Number.isNaN(value.value);
  const same = equal(wanted, result) === true || (isNan(wanted) && isNan(result));
  const sameKind = runtimeType(wanted).name === runtimeType(result).name || wanted instanceof Type;
  return same && sameKind ? undefined : `${formatValue(result)}, not ${formatValue(wanted)}`;
}

/** Returns sections with the number of their skipped cases, and single cases by name. */
function summary(names: readonly string[]): string {
  const sections = Map.groupBy(names, (name) => name.slice(0, name.lastIndexOf("/")));
  const parts = [...sections].map(([section, all]) =>
    all.length === 1 ? all[0] : `${section} (${all.length})`,
  );
  return parts.join(", ");
}

const cases = readdirSync(folder)
  .filter((name) => name.endsWith(".jsonl"))
  .flatMap((name) => {
    const lines = readFileSync(new URL(name, folder), "utf8").trim().split("\n");
    return lines.map((line) => ({ file: name.replace(".jsonl", ""), one: JSON.parse(line) as Case }));
  });

describe("published conformance tests", () => {
  const skipped = new Map<string, string[]>();
  const failures: string[] = [];
  let passed = 0;
  for (const { file, one } of cases) {
    const place = `${file}/${one.section}/${one.name}`;
    const reason = reasonToSkip(file, one);
    if (reason === undefined) {
      const wrong = complaint(one, run(one));
      if (wrong === undefined) passed += 1;
      else failures.push(`${place}: ${one.expr}\n  ${wrong}`);
    } else skipped.set(reason, [...(skipped.get(reason) ?? []), place]);
  }

  test("pass for everything that Kubernetes has", () => {
    console.log(`CEL conformance: ${passed} passed, ${failures.length} failed, ${cases.length} in all`);
    for (const [reason, names] of skipped) console.log(`  skipped for ${reason}: ${summary(names)}`);
    expect(failures.join("\n")).toBe("");
  });
});
