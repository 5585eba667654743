import { isObject } from "../../../util/is-object.ts";

/**
 * The protobuf encoding of OpenAPI documents: gnostic's messages (github.com/google/gnostic-models). A
 * message follows a JSON object, except for three things that protobuf lacks: unknown keys, values of one of
 * several types, and values of any type.
 */

/** The encoding of a JSON value. */
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
  /** By JSON key. Called at first use, so that messages may reference each other. */
  readonly fields: () => Readonly<Record<string, FieldForm>>;
  /** The field for the other keys, each with its value in a message of its own. */
  readonly others?: () => FieldForm;
  /** The field for keys that begin with `x-`, in the same encoding. */
  readonly extensions?: number;
}

/** A message with one field set, which the value selects; undefined for none. */
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

/**
 * A value that may be a reference, recognized by its `$ref`. gnostic always puts the reference in field 2,
 * and the other value in field 1.
 */
export function orReference(of: () => Form, reference: Form): ChoiceForm {
  return choice((value) => (isObject(value) && "$ref" in value ? [2, reference] : [1, of()]));
}
