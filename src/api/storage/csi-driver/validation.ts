import {
  duplicate,
  type FieldError,
  type FieldPath,
  invalid,
  notSupported,
  root,
} from "../../../meta/field-error.ts";
import { validateImmutable } from "../../../meta/validation/immutable.ts";
import type { CSIDriver, TokenRequest } from "./schema.ts";

const path = root.child("spec");

/** Upstream's error path differs from the field's name. */
const attachPath = path.child("attachedRequired");

export function* validateCSIDriver({ spec }: CSIDriver): Generator<FieldError> {
  const { fsGroupPolicy, tokenRequests = [], volumeLifecycleModes = [] } = spec;
  const policies = ["File", "None", "ReadWriteOnceWithFSType"];
  if (fsGroupPolicy !== undefined && !policies.includes(fsGroupPolicy)) {
    yield notSupported(path.child("fsGroupPolicy"), fsGroupPolicy, policies);
  }
  yield* validateTokenRequests(tokenRequests, path.child("tokenRequests"));
  const modes = ["Persistent", "Ephemeral"];
  for (const mode of volumeLifecycleModes) {
    if (!modes.includes(mode)) yield notSupported(path.child("volumeLifecycleModes"), mode, modes);
  }
  const { nodeAllocatableUpdatePeriodSeconds: period, serviceAccountTokenInSecrets: inSecrets } = spec;
  if (period !== undefined && period < 10) {
    const why = "must be greater than or equal to 10 seconds";
    yield invalid(path.child("nodeAllocatableUpdatePeriodSeconds"), period, why);
  }
  if (inSecrets !== undefined && tokenRequests.length === 0) {
    const why = "serviceAccountTokenInSecrets is set but no tokenRequests are specified";
    yield invalid(path.child("serviceAccountTokenInSecrets"), inSecrets, why);
  }
}

/** The bounds of a token's lifetime: ten minutes and about 136 years. */
const [minSeconds, maxSeconds] = [600, 2 ** 32];

function* validateTokenRequests(requests: readonly TokenRequest[], place: FieldPath): Generator<FieldError> {
  const audiences = new Set<string>();
  for (const [i, { audience, expirationSeconds: seconds = minSeconds }] of requests.entries()) {
    if (audiences.has(audience)) {
      yield duplicate(place.index(i).child("audience"), audience);
      continue;
    }
    audiences.add(audience);
    const secondsPath = place.index(i).child("expirationSeconds");
    if (seconds < minSeconds) {
      yield invalid(secondsPath, seconds, "may not specify a duration less than 10 minutes");
    }
    if (seconds > maxSeconds) {
      yield invalid(secondsPath, seconds, "may not specify a duration larger than 2^32 seconds");
    }
  }
}

export function* validateCSIDriverUpdate(
  { spec }: CSIDriver,
  { spec: old }: CSIDriver,
): Generator<FieldError> {
  yield* validateImmutable(spec.attachRequired, old.attachRequired, attachPath);
  const modesPath = path.child("volumeLifecycleModes");
  yield* validateImmutable(spec.volumeLifecycleModes, old.volumeLifecycleModes, modesPath);
}
