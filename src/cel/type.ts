export type Kind =
  | "any"
  | "bool"
  | "bytes"
  | "double"
  | "duration"
  | "dyn"
  | "error"
  | "int"
  | "list"
  | "map"
  | "null"
  | "object"
  | "opaque"
  | "parameter"
  | "string"
  | "timestamp"
  | "type"
  | "uint";

/**
 * A type of the language, which is also a value (`type(1) == int`). `V` is the JavaScript type of its values,
 * by which the compiler checks the functions of a library against their declarations.
 */
export class Type<out V = unknown> {
  declare readonly holds: V;
  readonly kind: Kind;
  /** The name at run time, without parameters: `list`, `google.protobuf.Duration`. */
  readonly name: string;
  readonly parameters: readonly Type[];
  /** True when null is a value of the type, as for protobuf's wrapper messages. */
  readonly nullable: boolean;
  /** The number of types that this type consists of. Repeated types count each time. */
  readonly parts: number;
  /** True when the type contains type parameters. */
  readonly open: boolean;
  #text: string | undefined;

  constructor(kind: Kind, name: string, parameters: readonly Type[] = [], nullable = false) {
    this.kind = kind;
    this.name = name;
    this.parameters = parameters;
    this.nullable = nullable;
    this.parts = parameters.reduce((total, { parts }) => total + parts, 1);
    this.open = kind === "parameter" || parameters.some(({ open }) => open);
  }

  /** The form in messages of cel-go's checker. */
  get text(): string {
    return (this.#text ??= this.#print());
  }

  #print(): string {
    if (["any", "duration", "null", "timestamp"].includes(this.kind)) return this.kind;
    if (this.kind === "error") return "!error!";
    if (this.parameters.length > 0)
      return `${this.name}(${this.parameters.map(({ text }) => text).join(", ")})`;
    return this.nullable ? `wrapper(${this.name})` : this.name;
  }

  /** The form in other messages of cel-go (`Type.String`). */
  get declaration(): string {
    if (this.parameters.length > 0) {
      return `${this.name}(${this.parameters.map(({ declaration }) => declaration).join(", ")})`;
    }
    return this.nullable ? `wrapper(${this.name})` : this.name;
  }
}
