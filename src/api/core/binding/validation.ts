import { type FieldError, notSupported, requiredValue, root } from "../../../meta/field-error.ts";
import type { Binding } from "./schema.ts";

export function* validateBinding({ target }: Binding): Generator<FieldError> {
  if (target.kind !== undefined && target.kind !== "Node") {
    yield notSupported(root.child("target", "kind"), target.kind, ["Node", "<empty>"]);
  }
  if (target.name === undefined) yield requiredValue(root.child("target", "name"));
}
