import {
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  requiredValue,
} from "../../../../meta/field-error.ts";
import { validateNonNegative, validatePortNumberOrName } from "../../../../meta/validation/number.ts";
import { report, validateOneOf } from "../../../../meta/validation/report.ts";
import { headerNameProblems } from "../../../../meta/validation/text.ts";
import type { HTTPGetAction, Lifecycle, LifecycleHandler, Probe, ProbeHandler } from "../probe.ts";

type Handler = ProbeHandler & LifecycleHandler;

/** The validation of each action, by the action's name. */
type Check = (path: FieldPath) => Generator<FieldError>;

/** Requires one action. If several are set, only the first one is validated. */
function* validateHandler(
  { exec, httpGet, tcpSocket, grpc, sleep }: Handler,
  gracePeriod: number | undefined,
  path: FieldPath,
): Generator<FieldError> {
  const checks: readonly (readonly [string, Check | undefined])[] = [
    ["exec", exec && ((place) => validateCommand(exec.command, place))],
    ["httpGet", httpGet && ((place) => validateHttpGet(httpGet, place))],
    ["tcpSocket", tcpSocket && ((place) => validatePortNumberOrName(tcpSocket.port, place.child("port")))],
    ["grpc", grpc && ((place) => validatePortNumberOrName(grpc.port, place.child("port")))],
    ["sleep", sleep && ((place) => validateSleep(sleep.seconds, gracePeriod, place))],
  ];
  let count = 0;
  for (const [name, check] of checks) {
    if (check === undefined) continue;
    count += 1;
    if (count > 1) yield forbidden(path.child(name), "may not specify more than 1 handler type");
    else yield* check(path.child(name));
  }
  if (count === 0) yield requiredValue(path, "must specify a handler type");
}

function* validateCommand(command: readonly string[] | undefined, path: FieldPath): Generator<FieldError> {
  if (command === undefined) yield requiredValue(path.child("command"));
}

function* validateHttpGet(action: HTTPGetAction, path: FieldPath): Generator<FieldError> {
  if (action.path === undefined) yield requiredValue(path.child("path"));
  yield* validatePortNumberOrName(action.port, path.child("port"));
  yield* validateOneOf(action.scheme, ["HTTP", "HTTPS"], path.child("scheme"));
  for (const { name } of action.httpHeaders ?? []) {
    yield* report(path.child("httpHeaders"), name, headerNameProblems(name));
  }
}

function* validateSleep(
  seconds: number,
  gracePeriod: number | undefined,
  path: FieldPath,
): Generator<FieldError> {
  if (gracePeriod !== undefined && (seconds < 0 || seconds > gracePeriod)) {
    yield invalid(
      path,
      seconds,
      `must be non-negative and less than terminationGracePeriodSeconds (${gracePeriod})`,
    );
  }
}

const counts = [
  "initialDelaySeconds",
  "timeoutSeconds",
  "periodSeconds",
  "successThreshold",
  "failureThreshold",
] as const;

function* validateProbe(
  probe: Probe,
  gracePeriod: number | undefined,
  path: FieldPath,
): Generator<FieldError> {
  yield* validateHandler(probe, gracePeriod, path);
  for (const name of counts) yield* validateNonNegative(probe[name], path.child(name));
  const own = probe.terminationGracePeriodSeconds;
  if (own !== undefined && own <= 0) {
    yield invalid(path.child("terminationGracePeriodSeconds"), own, "must be greater than 0");
  }
}

/** Validates a liveness or startup probe, whose success threshold must be 1. */
function* validateDecisiveProbe(
  probe: Probe | undefined,
  gracePeriod: number | undefined,
  path: FieldPath,
): Generator<FieldError> {
  if (probe === undefined) return;
  yield* validateProbe(probe, gracePeriod, path);
  if (probe.successThreshold !== 1) {
    yield invalid(path.child("successThreshold"), probe.successThreshold ?? 0, "must be 1");
  }
}

function* validateReadinessProbe(
  probe: Probe | undefined,
  gracePeriod: number | undefined,
  path: FieldPath,
): Generator<FieldError> {
  if (probe === undefined) return;
  yield* validateProbe(probe, gracePeriod, path);
  const own = probe.terminationGracePeriodSeconds;
  if (own !== undefined) {
    yield invalid(path.child("terminationGracePeriodSeconds"), own, "must not be set for readinessProbes");
  }
}

/** The hooks and probes of a container. */
export interface Watched {
  readonly lifecycle?: Lifecycle;
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly startupProbe?: Probe;
}

export function* validateHooksAndProbes(
  { lifecycle, livenessProbe, readinessProbe, startupProbe }: Watched,
  gracePeriod: number | undefined,
  path: FieldPath,
): Generator<FieldError> {
  const hooks = path.child("lifecycle");
  if (lifecycle?.postStart !== undefined) {
    yield* validateHandler(lifecycle.postStart, gracePeriod, hooks.child("postStart"));
  }
  if (lifecycle?.preStop !== undefined) {
    yield* validateHandler(lifecycle.preStop, gracePeriod, hooks.child("preStop"));
  }
  yield* validateDecisiveProbe(livenessProbe, gracePeriod, path.child("livenessProbe"));
  yield* validateReadinessProbe(readinessProbe, gracePeriod, path.child("readinessProbe"));
  yield* validateDecisiveProbe(startupProbe, gracePeriod, path.child("startupProbe"));
}
