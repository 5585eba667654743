import {
  duplicate,
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  requiredValue,
  root,
} from "../../../meta/field-error.ts";
import { validateOneOf } from "../../../meta/validation/report.ts";
import { deepEqual } from "../../../util/deep-equal.ts";
import { catchAllLevel } from "../mandatory.ts";
import type {
  ExemptPriorityLevelConfiguration,
  LimitedPriorityLevelConfiguration,
  LimitResponse,
  PriorityLevelConfiguration,
  PriorityLevelConfigurationSpec,
  QueuingConfiguration,
} from "./schema.ts";

const path = root.child("spec");
/** An annotation of v1beta3. */
const preserveZeroKey = "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares";

export function* validatePriorityLevel(level: PriorityLevelConfiguration): Generator<FieldError> {
  const { metadata, spec } = level;
  if (Object.hasOwn(metadata.annotations ?? {}, preserveZeroKey)) {
    yield forbidden(root.child("metadata", "annotations"), `annotation '${preserveZeroKey}' is forbidden`);
  }
  yield* validateSpec(spec, metadata.name);
  yield* validateFixed(spec, metadata.name);
  yield* validatePriorityLevelStatus(level);
}

export function* validatePriorityLevelStatus({ status }: PriorityLevelConfiguration): Generator<FieldError> {
  yield* validateConditionTypes(status.conditions ?? []);
}

/** Forbids several conditions of one type. */
export function* validateConditionTypes(
  conditions: readonly { readonly type?: string }[],
): Generator<FieldError> {
  const types = new Set<string>();
  for (const [i, { type = "" }] of conditions.entries()) {
    const place = root.child("status", "conditions").index(i).child("type");
    if (types.has(type)) yield duplicate(place, type);
    types.add(type);
    if (type === "") yield requiredValue(place);
  }
}

function* validateFixed(
  spec: PriorityLevelConfigurationSpec,
  name: string | undefined,
): Generator<FieldError> {
  const { exempt: _, ...others } = spec;
  if (name === "exempt" && !deepEqual(others, { type: "Exempt" })) {
    yield invalid(path, spec, "spec of 'exempt' except the 'spec.exempt' field must equal the fixed value");
  }
  if (name === "catch-all" && !deepEqual(spec, catchAllLevel)) {
    yield invalid(path, spec, "spec of 'catch-all' must equal the fixed value");
  }
}

function* validateSpec(
  { type, limited, exempt }: PriorityLevelConfigurationSpec,
  name: string | undefined,
): Generator<FieldError> {
  const place = path.child("type");
  if ((name === "exempt") !== (type === "Exempt")) {
    yield invalid(place, type, "must be 'Exempt' if and only if `name` is 'exempt'");
  }
  yield* validateOneOf(type, ["Exempt", "Limited"], place);
  if (type === "Exempt") {
    if (limited !== undefined)
      yield forbidden(path.child("limited"), "must be nil if the type is not Limited");
    if (exempt !== undefined) yield* validateExempt(exempt, path.child("exempt"));
  } else if (type === "Limited") {
    if (exempt !== undefined) yield forbidden(path.child("exempt"), "must be nil if the type is Limited");
    if (limited === undefined) {
      yield requiredValue(path.child("limited"), "must not be empty when type is Limited");
    } else yield* validateLimited(limited, path.child("limited"));
  }
}

function* validateShares(value: number | undefined, path: FieldPath): Generator<FieldError> {
  if (value !== undefined && value < 0) yield invalid(path, value, "must be a non-negative integer");
}

function* validatePercent(value: number | undefined, path: FieldPath): Generator<FieldError> {
  if (value === undefined || (value >= 0 && value <= 100)) return;
  yield invalid(path, value, "must be between 0 and 100, inclusive");
}

function* validateExempt(
  { nominalConcurrencyShares, lendablePercent }: ExemptPriorityLevelConfiguration,
  path: FieldPath,
): Generator<FieldError> {
  yield* validateShares(nominalConcurrencyShares, path.child("nominalConcurrencyShares"));
  yield* validatePercent(lendablePercent, path.child("lendablePercent"));
}

function* validateLimited(
  limited: LimitedPriorityLevelConfiguration,
  path: FieldPath,
): Generator<FieldError> {
  yield* validateShares(limited.nominalConcurrencyShares, path.child("nominalConcurrencyShares"));
  yield* validateResponse(limited.limitResponse, path.child("limitResponse"));
  yield* validatePercent(limited.lendablePercent, path.child("lendablePercent"));
  const { borrowingLimitPercent: borrowed } = limited;
  if (borrowed !== undefined && borrowed < 0) {
    const detail = "if specified, must be a non-negative integer";
    yield invalid(path.child("borrowingLimitPercent"), borrowed, detail);
  }
}

function* validateResponse({ type, queuing }: LimitResponse, path: FieldPath): Generator<FieldError> {
  const place = path.child("queuing");
  yield* validateOneOf(type, ["Queue", "Reject"], path.child("type"));
  if (type === "Reject" && queuing !== undefined) {
    yield forbidden(place, "must be nil if limited.limitResponse.type is not Limited");
  } else if (type === "Queue") {
    if (queuing === undefined) {
      yield requiredValue(place, "must not be empty if limited.limitResponse.type is Limited");
    } else yield* validateQueuing(queuing, place);
  }
}

const maxQueues = 10_000_000;
/** The number of hash bits from which the queues of a flow are chosen. */
const hashBits = 60;

function* validateQueuing(
  { queues, handSize, queueLengthLimit }: QueuingConfiguration,
  path: FieldPath,
): Generator<FieldError> {
  if (queueLengthLimit <= 0)
    yield invalid(path.child("queueLengthLimit"), queueLengthLimit, "must be positive");
  if (queues <= 0) yield invalid(path.child("queues"), queues, "must be positive");
  else if (queues > maxQueues)
    yield invalid(path.child("queues"), queues, `must not be greater than ${maxQueues}`);
  const place = path.child("handSize");
  if (handSize <= 0) yield invalid(place, handSize, "must be positive");
  else if (handSize > queues) yield invalid(place, handSize, `should not be greater than queues (${queues})`);
  else if (Math.ceil(Math.log2(queues) * handSize) > hashBits) {
    const detail = `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ${hashBits}`;
    yield invalid(place, handSize, detail);
  }
}
