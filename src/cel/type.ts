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
 * A type of the language; also a value of it (`type(1) == int`). `V` is how its values are held, which lets
 * the compiler check the functions of a library against their declarations.
 */
export class Type<out V = unknown> {
  declare readonly holds: V;
  readonly kind: Kind;
  /** The name at run time, without parameters: `list`, `google.protobuf.Duration`. */
  readonly name: string;
  readonly parameters: readonly Type[];
  /** Whether null is one of its values, as of protobuf's wrapper messages. */
  readonly nullable: boolean;
  /** How many types it is made of, counted as often as they are written. */
  readonly parts: number;
  /** Whether type parameters are among its parts. */
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

  /** As cel-go's checker prints it. */
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

  /** As cel-go prints it elsewhere (`Type.String`). */
  get declaration(): string {
    if (this.parameters.length > 0) {
      return `${this.name}(${this.parameters.map(({ declaration }) => declaration).join(", ")})`;
    }
    return this.nullable ? `wrapper(${this.name})` : this.name;
  }
}
