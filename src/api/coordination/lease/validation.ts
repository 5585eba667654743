import { type FieldError, forbidden, invalid, notSupported, root } from "../../../meta/field-error.ts";
import { labelKeyProblems } from "../../../meta/label-syntax.ts";
import { report } from "../../../meta/validation/report.ts";
import type { Lease } from "./schema.ts";

const path = root.child("spec");

export function* validateLease({ spec }: Lease): Generator<FieldError> {
  const { leaseDurationSeconds: seconds, leaseTransitions: transitions, strategy = "" } = spec;
  if (seconds !== undefined && seconds <= 0) {
    yield invalid(path.child("leaseDurationSeconds"), seconds, "must be greater than 0");
  }
  if (transitions !== undefined && transitions < 0) {
    yield invalid(path.child("leaseTransitions"), transitions, "must be greater than or equal to 0");
  }
  if (strategy.includes("/")) {
    yield* report(path.child("strategy", "strategy"), strategy, labelKeyProblems(strategy));
  } else if (strategy !== "" && strategy !== "OldestEmulationVersion") {
    yield notSupported(path.child("strategy", "strategy"), strategy, ["OldestEmulationVersion"]);
  }
  if ((spec.preferredHolder ?? "") !== "" && strategy === "") {
    yield forbidden(path.child("preferredHolder"), "may only be specified if `strategy` is defined");
  }
}
