import type { UserInfo } from "./exchange.ts";
import type { FieldError } from "./field-error.ts";
import type { Kind, KubeObject } from "./kind.ts";
import type { Draft } from "./schema.ts";
import type { ObjectMeta } from "./v1.ts";

/** One column of `kubectl get`: what upstream's printers define for a kind. */
export interface Column<T> {
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
  /** `name` on the first column; otherwise an OpenAPI format, or nothing. */
  readonly format?: string;
  readonly description: string;
  /** 0 shows always, above only with `-o wide`. */
  readonly priority?: number;
  /** The cell; where the type is `date`, as RFC 3339, which is shown as an age. `now` is in milliseconds since the epoch. */
  readonly cell: (object: T, now: number) => string | number | bigint | boolean | null;
}

/**
 * Of pairs that clash, only so many are named: there may be as many as the square of what a request holds, and an
 * answer's headers have room for a few dozen.
 */
export const mostWarnings = 200;

/** What a strategy may know besides the object. */
export interface StrategyContext {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly user: UserInfo;
  readonly subresource: string;
}

/** A subresource that writes a part of its object: all else stays as it is stored, and `prepareForUpdate` runs too. */
export interface Part<T> {
  /** The top-level fields that a write changes, as they are after it. Default: the field of the subresource's name. */
  write?(sent: Draft<T>, old: T): Readonly<Record<string, unknown>>;
  /** Metadata that a write leaves as it is stored, but for the owners of fields. Default: none. */
  readonly keepsMetadata?: "all" | readonly (keyof ObjectMeta)[];
  /** The rules between an object and its successor. Default: none. */
  validate?(object: T, old: T): Iterable<FieldError>;
}

/**
 * What the server does with one kind beyond its schema, as pure functions. Every member may be left out.
 * A draft is fresh from the decoder and belongs to the strategy: it is changed in place. `old` is shared.
 *
 * On a write, in this order: `setDefaults` → mutating admission → `prepareForCreate` or `prepareForUpdate` →
 * `validate` and `validateCreate` or `validateUpdate` → validating admission.
 */
export interface Strategy<T> {
  /** Defaults that depend on other fields; those of single fields stand in the schema. */
  setDefaults?(draft: Draft<T>): void;
  /** Clears what a client may not set on create. Kinds with a status subresource have it cleared already. */
  prepareForCreate?(draft: Draft<T>, context: StrategyContext): void;
  /** Carries over what a client may not change. Status (or all but status) is carried over already. */
  prepareForUpdate?(draft: Draft<T>, old: T, context: StrategyContext): void;
  /** What must hold for any object of this kind. Metadata is checked already, but for the name. */
  validate?(object: T): Iterable<FieldError>;
  /** What must hold for a new object besides. */
  validateCreate?(object: T): Iterable<FieldError>;
  /** What must hold between an object and its successor: immutable fields. */
  validateUpdate?(object: T, old: T): Iterable<FieldError>;
  /** Subresources that write a part of the object, by name. A kind with a status need not name `status` here. */
  readonly parts?: Readonly<Record<string, Part<T>>>;
  /** Why a name is not allowed; default: a DNS subdomain. */
  readonly validateName?: (name: string) => readonly string[];
  /** Texts for `Warning` headers: deprecated fields, likely mistakes. */
  warnings?(object: T, old: T | undefined): readonly string[];
  /** What every client of a kind that is going is told. */
  readonly deprecation?: string;
  /** Field selectors beyond `metadata.name` and `metadata.namespace`. */
  readonly selectableFields?: Readonly<Record<string, (object: T) => string>>;
  /** Columns between Name and Age; or all of them, when one of them has format `name`. */
  readonly columns?: readonly Column<T>[];
  /** The order of a Table's rows; equal ones, and lists in other forms, come as they are stored. */
  readonly compareRows?: (a: T, b: T) => number;
  /** Whether `metadata.generation` counts changes of everything but metadata and status. */
  readonly generation?: boolean;
  /** A new object keeps the status that its creator gives it (Node). */
  readonly keepsStatusOnCreate?: boolean;
  /** PUT of an absent object creates it (Lease, Event, Endpoints …). */
  readonly allowCreateOnUpdate?: boolean;
  /** An update without resourceVersion overwrites. Default true. */
  readonly allowUnconditionalUpdate?: boolean;
  /** DELETE answers with the object, not with a Status. */
  readonly returnDeletedObject?: boolean;
  /** Seconds of grace before deletion, for kinds that end gracefully (Pod); 0 deletes at once. */
  deleteGracePeriod?(object: T, requested: number | undefined): number;
  /** A delete that names no policy leaves dependents behind, and says so (`DefaultGarbageCollectionPolicy`). */
  readonly orphansByDefault?: { readonly warning?: string };
  /** Marks what changes when deletion begins, beyond its timestamp (a Namespace's phase). */
  prepareForDelete?(draft: Draft<T>): void;
  /** Whether something other than `metadata.finalizers` holds the object back (a Namespace's `spec.finalizers`). */
  blocksDeletion?(object: T): boolean;
  /** The field that watches are indexed by, beyond namespace and name (a Pod's node). */
  readonly watchIndex?: string;
}

/** One object in both forms. */
export interface Before<T extends KubeObject = KubeObject> {
  readonly stored: KubeObject;
  readonly shown: T;
}

/** How the store holds a resource's objects, where clients of the resource see them in another form. */
export interface StoredForm<T extends KubeObject = KubeObject> {
  /** The kind whose place in the store they share. */
  readonly kind: Kind;
  /**
   * Both give canonical objects. What is as it should be already is given back itself: its bytes are then shared.
   * `before` is what it replaces: parts that stay as they were shown can stay as they are stored.
   */
  readonly stored: (shown: T, before?: Before<T>) => KubeObject | Promise<KubeObject>;
  readonly shown: (stored: KubeObject) => T | Promise<T>;
}

/** What a CustomResourceDefinition says of its resource besides, and may say otherwise tomorrow. */
export interface CustomResource {
  /** Whether discovery lists it. */
  readonly established: boolean;
  /** Whether the definition is going: nothing new is created. */
  readonly terminating: boolean;
  /** The version that objects are stored in. */
  readonly storageVersion: string;
  /** Goes with every answer in this version. */
  readonly warning?: string;
}

/** A kind with its strategy: one line in the list of what the server serves. */
export interface Registration<T extends KubeObject = KubeObject> {
  readonly kind: Kind;
  readonly strategy: Strategy<T>;
  readonly storedForm?: StoredForm<T>;
  /** Set for custom resources. */
  readonly custom?: CustomResource;
}

/** Ties a strategy to its kind, checking that both are about the same objects. */
export function serve<O extends object, I extends object>(
  kind: Kind<O, I>,
  strategy: Strategy<KubeObject<O>> = {},
  storedForm?: StoredForm<KubeObject<O>>,
): Registration {
  // Safe: the registry hands a kind's strategy only objects decoded by that kind's schema.
  return { kind, strategy, ...(storedForm === undefined ? {} : { storedForm }) } as unknown as Registration;
}
