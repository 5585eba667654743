import { type Draft, draftOf } from "../../../meta/schema.ts";
import type { Strategy, StrategyContext } from "../../../meta/strategy.ts";
import { pathSegmentProblems } from "../../../meta/validation/text.ts";
import { formatTime } from "../../../util/clock.ts";
import { requestColumns } from "./printer.ts";
import type { CertificateSigningRequest, CertificateSigningRequestCondition } from "./schema.ts";
import {
  validateApprovalUpdate,
  validateRequest,
  validateRequestUpdate,
  validateStatusUpdate,
} from "./validation.ts";

type Request = CertificateSigningRequest;

export const requestStrategy: Strategy<Request> = {
  prepareForCreate,
  prepareForUpdate,
  validateName: pathSegmentProblems,
  validateCreate: (request) => validateRequest(request),
  validateUpdate: validateRequestUpdate,
  parts: {
    status: { validate: validateStatusUpdate },
    approval: { write: ({ status }) => ({ status }), validate: validateApprovalUpdate },
  },
  columns: requestColumns,
  selectableFields: { "spec.signerName": ({ spec }) => spec.signerName },
};

/** Sets the requestor to the authenticated user, so that no user can request a certificate for another. */
function prepareForCreate({ spec }: Draft<Request>, { user }: StrategyContext): void {
  for (const name of ["username", "uid", "groups", "extra"] as const) delete spec[name];
  const { name, uid, groups, extra } = draftOf(user);
  spec.username = name;
  if (groups.length > 0) spec.groups = groups;
  if (uid !== undefined) spec.uid = uid;
  if (extra !== undefined) spec.extra = extra;
}

/**
 * Restores the immutable spec. Only the endpoint `approval` writes decisions; the endpoint `status` writes
 * other conditions.
 */
function prepareForUpdate(draft: Draft<Request>, old: Request, { subresource, now }: StrategyContext): void {
  draft.spec = draftOf(old.spec);
  const { conditions } = draft.status;
  if (subresource === "status")
    for (const type of ["Approved", "Denied"]) keepInstances(conditions, old, type);
  if (subresource !== "") stampConditions(conditions, old, formatTime(now));
  if (subresource === "status") return;
  draft.status = draftOf(old.status);
  if (subresource !== "approval") return;
  if (conditions === undefined) delete draft.status.conditions;
  else draft.status.conditions = conditions;
}

type Conditions = Draft<CertificateSigningRequestCondition>[] | undefined;

/** Restores the conditions of one type. If their number changed, validation refuses the update. */
function keepInstances(conditions: Conditions = [], { status }: Request, type: string): void {
  const before = (status.conditions ?? []).filter((one) => one.type === type);
  const places = [...conditions.keys()].filter((i) => conditions[i]?.type === type);
  if (before.length !== places.length) return;
  for (const [i, condition] of before.entries()) conditions[places[i] ?? 0] = { ...condition };
}

function stampConditions(conditions: Conditions, { status }: Request, now: string): void {
  for (const condition of conditions ?? []) {
    condition.lastUpdateTime ??= now;
    const before = status.conditions?.find(
      (one) =>
        one.type === condition.type &&
        one.status === condition.status &&
        one.lastTransitionTime !== undefined,
    );
    condition.lastTransitionTime ??= before?.lastTransitionTime ?? now;
  }
}
