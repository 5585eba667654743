import type { UserInfo } from "./exchange.ts";
import type { ErrorOrPause, FieldError } from "./field-error.ts";
import type { Kind, KubeObject } from "./kind.ts";
import type { Draft } from "./schema.ts";
import type { ObjectMeta } from "./v1.ts";

/** One column of `kubectl get`, as upstream's printers define it. */
export interface Column<T> {
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
  /** `name` for the first column; otherwise an OpenAPI format, or absent. */
  readonly format?: string;
  readonly description: string;
  /** 0 is always shown, higher numbers only with `-o wide`. */
  readonly priority?: number;
  /**
   * The cell. For type `date`, a time in RFC 3339, which is shown as an age. `now` is in milliseconds since
   * the epoch.
   */
  readonly cell: (object: T, now: number) => string | number | bigint | boolean | null;
}

/**
 * The maximum number of conflicts in warnings. There can be quadratically many, but response headers have
 * room for a few dozen.
 */
export const mostWarnings = 200;

/** Information for a strategy besides the object. */
export interface StrategyContext {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly user: UserInfo;
  readonly subresource: string;
}

/**
 * A subresource that writes a part of its object. All other fields keep their stored value.
 * `prepareForUpdate` runs, too.
 */
export interface Part<T> {
  /** The top-level fields after a write. Default: the field with the subresource's name. */
  write?(sent: Draft<T>, old: T): Readonly<Record<string, unknown>>;
  /** Metadata that a write keeps, except for the owners of fields. Default: none. */
  readonly keepsMetadata?: "all" | readonly (keyof ObjectMeta)[];
  /** Validates the new object against the old one. Default: no validation. */
  validate?(object: T, old: T): Iterable<FieldError>;
}

/**
 * The server's behaviour for one kind, beyond its schema, as pure functions. All members are optional. A
 * draft comes from the decoder and may be changed in place. `old` is shared and must not be changed.
 *
 * The order of a write: `setDefaults` → mutating admission → `prepareForCreate` or `prepareForUpdate` →
 * `validate` and `validateCreate` or `validateUpdate` → validating admission.
 */
export interface Strategy<T> {
  /** Sets defaults that depend on other fields. Defaults of single fields are in the schema. */
  setDefaults?(draft: Draft<T>): void;
  /**
   * Clears fields that a client may not set on create. The status is already cleared if it is a subresource.
   */
  prepareForCreate?(draft: Draft<T>, context: StrategyContext): void;
  /**
   * Restores fields that a client may not change. The fields outside of the written part (status or the rest)
   * are already restored.
   */
  prepareForUpdate?(draft: Draft<T>, old: T, context: StrategyContext): void;
  /** Validates an object on create and update. The metadata is already validated, except for the name. */
  validate?(object: T): Iterable<FieldError>;
  /** Further validation of a new object. */
  validateCreate?(object: T): Iterable<ErrorOrPause>;
  /** Validates a change: immutable fields. */
  validateUpdate?(object: T, old: T): Iterable<ErrorOrPause>;
  /** Subresources that write a part of the object, by name. The `status` subresource is implied. */
  readonly parts?: Readonly<Record<string, Part<T>>>;
  /** Returns the problems of a name. Default: it must be a DNS subdomain. */
  readonly validateName?: (name: string) => readonly string[];
  /** Texts for `Warning` headers: deprecated fields, likely mistakes. */
  warnings?(object: T, old: T | undefined): readonly string[];
  /** The deprecation warning for every request to the kind. */
  readonly deprecation?: string;
  /** Field selectors besides `metadata.name` and `metadata.namespace`. */
  readonly selectableFields?: Readonly<Record<string, (object: T) => string>>;
  /** Columns between Name and Age. If one of them has format `name`, these are all columns. */
  readonly columns?: readonly Column<T>[];
  /** The order of a Table's rows. Equal rows, and lists in other forms, are in the stored order. */
  readonly compareRows?: (a: T, b: T) => number;
  /** True when `metadata.generation` counts all changes except those of metadata and status. */
  readonly generation?: boolean;
  /** True when a new object keeps the status of the request (Node). */
  readonly keepsStatusOnCreate?: boolean;
  /** True when PUT of an absent object creates it (Lease, Event, Endpoints …). */
  readonly allowCreateOnUpdate?: boolean;
  /** True when an update without resourceVersion overwrites the object. Default: true. */
  readonly allowUnconditionalUpdate?: boolean;
  /** True when DELETE returns the object instead of a Status. */
  readonly returnDeletedObject?: boolean;
  /** The grace period in seconds, for kinds with graceful deletion (Pod); 0 deletes immediately. */
  deleteGracePeriod?(object: T, requested: number | undefined): number;
  /** A delete without a policy orphans dependents, with a warning (`DefaultGarbageCollectionPolicy`). */
  readonly orphansByDefault?: { readonly warning?: string };
  /** Changes the object when its deletion begins, besides the timestamp (a Namespace's phase). */
  prepareForDelete?(draft: Draft<T>): void;
  /**
   * Reports whether something other than `metadata.finalizers` blocks the deletion (a Namespace's
   * `spec.finalizers`).
   */
  blocksDeletion?(object: T): boolean;
  /** The field that indexes watches, besides namespace and name (a Pod's node). */
  readonly watchIndex?: string;
}

/** One object in both forms. */
export interface Before<T extends KubeObject = KubeObject, S extends object = object> {
  readonly stored: KubeObject<S>;
  readonly shown: T;
}

/** The stored form of a resource's objects, if clients see them in another form. */
export interface StoredForm<T extends KubeObject = KubeObject, S extends object = object> {
  /** The kind that determines the location in the store. */
  readonly kind: Kind<S>;
  /**
   * Both functions return canonical objects, or their argument if nothing changes, so that its bytes are
   * shared. `before` is the replaced object: parts that are unchanged in the shown form can keep their stored
   * form.
   */
  readonly stored: (shown: T, before?: Before<T, S>) => KubeObject<S> | Promise<KubeObject<S>>;
  readonly shown: (stored: KubeObject<S>) => T | Promise<T>;
}

/** The parts of a CustomResourceDefinition about its resource. They can change at any time. */
export interface CustomResource {
  /** True when discovery lists the resource. */
  readonly established: boolean;
  /** True when the definition is terminating: creates are refused. */
  readonly terminating: boolean;
  /** The storage version. */
  readonly storageVersion: string;
  /** The warning in every response for this version. */
  readonly warning?: string;
}

/** A kind with its strategy: one line in the list of served resources. */
export interface Registration<T extends KubeObject = KubeObject> {
  readonly kind: Kind;
  readonly strategy: Strategy<T>;
  readonly storedForm?: StoredForm<T>;
  /** Set for custom resources. */
  readonly custom?: CustomResource;
}

/** Combines a kind with its strategy. The types ensure that both are about the same objects. */
export function serve<O extends object, I extends object, S extends object>(
  kind: Kind<O, I>,
  strategy: Strategy<KubeObject<O>> = {},
  storedForm?: StoredForm<KubeObject<O>, S>,
): Registration {
  // Safe because the registry only passes objects to a strategy that the kind's schema decoded, and stored
  // objects to a stored form that the schema of the form's kind decoded.
  return { kind, strategy, ...(storedForm === undefined ? {} : { storedForm }) } as unknown as Registration;
}
