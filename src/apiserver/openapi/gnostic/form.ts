import { isObject } from "../../../util/is-object.ts";

/**
 * How OpenAPI documents travel in protobuf: as gnostic's messages (github.com/google/gnostic-models). A message
 * follows a JSON object, but for three things that protobuf does not have: keys that are not known ahead,
 * values of one of several types, and values of any type.
 */

/** How a JSON value is written. */
export type Form = Scalar | ListForm | MessageForm | ChoiceForm;

/** `any` is written as YAML, and JSON is YAML. */
export type Scalar = "string" | "boolean" | "integer" | "double" | "any";

export interface ListForm {
  readonly kind: "list";
  readonly of: Form;
}

/** A field's number and form. */
export type FieldForm = readonly [number: number, form: Form];

export interface MessageForm {
  readonly kind: "message";
  /** By JSON key. Called at first use, so that messages may refer to each other. */
  readonly fields: () => Readonly<Record<string, FieldForm>>;
  /** The field that takes the other keys, each with its value in a message of its own. */
  readonly others?: () => FieldForm;
  /** The field that takes the keys that begin with `x-`, in the same way. */
  readonly extensions?: number;
}

/** A message of which one field is set: which one, the value tells. Undefined: none. */
export interface ChoiceForm {
  readonly kind: "choice";
  readonly choose: (value: unknown) => FieldForm | undefined;
}

export function list(of: Form): ListForm {
  return { kind: "list", of };
}

export function message(
  fields: () => Readonly<Record<string, FieldForm>>,
  others: Pick<MessageForm, "others" | "extensions"> = {},
): MessageForm {
  return { kind: "message", fields, ...others };
}

/** An object whose keys are names. */
export function named(of: () => Form, number = 1): MessageForm {
  return message(() => ({}), { others: () => [number, of()] });
}

export function choice(choose: ChoiceForm["choose"]): ChoiceForm {
  return { kind: "choice", choose };
}

/** A reference is told by its `$ref`; wherever it may stand, gnostic has it in field 2, and the other thing in 1. */
export function orReference(of: () => Form, reference: Form): ChoiceForm {
  return choice((value) => (isObject(value) && "$ref" in value ? [2, reference] : [1, of()]));
}
