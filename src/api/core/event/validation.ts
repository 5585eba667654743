import { type FieldError, invalid, requiredValue, root } from "../../../meta/field-error.ts";
import { labelKeyProblems } from "../../../meta/label-syntax.ts";
import { report } from "../../../meta/validation/report.ts";
import type { Event } from "./schema.ts";

const limits = [
  ["reportingInstance", 128],
  ["action", 128],
  ["reason", 128],
  ["message", 1024],
] as const;

/** Requires a reporter and an action of new-style Events, which have an `eventTime`. */
export function* validateEvent(event: Event, controllerField = "reportingComponent"): Generator<FieldError> {
  const { metadata, involvedObject, eventTime } = event;
  const target = involvedObject.namespace ?? "";
  const clusterWide =
    target === "" &&
    (metadata.namespace === "default" || (eventTime !== undefined && metadata.namespace === "kube-system"));
  if (target === "" ? !clusterWide : eventTime === undefined && target !== metadata.namespace) {
    yield invalid(root.child("involvedObject", "namespace"), target, "does not match event.namespace");
  }
  if (eventTime === undefined) return;
  const { reportingComponent } = event;
  if (reportingComponent === "") yield requiredValue(root.child(controllerField));
  yield* report(root.child(controllerField), reportingComponent, labelKeyProblems(reportingComponent));
  for (const [name, max] of limits) {
    const value = event[name] ?? "";
    if (value === "" && name !== "message") yield requiredValue(root.child(name));
    if (value.length > max) yield invalid(root.child(name), "", `can have at most ${max} characters`);
  }
}
