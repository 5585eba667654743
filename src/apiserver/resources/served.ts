import { bodies } from "../../api/registrations.ts";
import { groupResource, type Kind, type KubeObject } from "../../meta/kind.ts";
import { toJson } from "../../meta/json.ts";
import { listMessage } from "../../meta/list-message.ts";
import type { MessageType } from "../../meta/schema.ts";
import type { ResourceName } from "../../meta/status.ts";
import type { Before, CustomResource, Registration, StoredForm, Strategy } from "../../meta/strategy.ts";
import type { Entry } from "../../store/store.ts";
import type { Codec } from "./codec.ts";
import { ownValue } from "../../util/table.ts";

/** A served resource: its kind, its strategy, and its location in the store. */
export class ServedResource {
  readonly kind: Kind;
  readonly strategy: Strategy<KubeObject>;
  /** The name in errors. */
  readonly name: ResourceName;
  /** The kind that the store holds. */
  readonly storedKind: Kind;
  /** `pods`, `deployments.apps`: the segment below `/registry/`. */
  readonly storageName: string;
  /** Set for custom resources. */
  readonly custom: CustomResource | undefined;
  readonly #form: StoredForm | undefined;
  /** Converted objects by their stored form, so that all clients share one conversion. */
  readonly #shown = new WeakMap<KubeObject, KubeObject | Promise<KubeObject>>();
  readonly #json = new WeakMap<KubeObject, Uint8Array>();

  constructor({ kind, strategy, storedForm, custom }: Registration) {
    this.kind = kind;
    this.strategy = strategy;
    this.custom = custom;
    this.name = { group: kind.group, resource: kind.plural };
    this.#form = storedForm;
    this.storedKind = storedForm?.kind ?? kind;
    this.storageName = groupResource(this.storedKind);
  }

  /** Reports whether clients may see another form than the stored one. */
  get converts(): boolean {
    return this.#form !== undefined;
  }

  /** Converts an object to its stored form. */
  stored(object: KubeObject, before?: Before): KubeObject | Promise<KubeObject> {
    return this.#form === undefined ? object : this.#form.stored(object, before);
  }

  /** Converts a stored object to the form that clients of this resource see. */
  shown(object: KubeObject): KubeObject | Promise<KubeObject> {
    if (this.#form === undefined) return object;
    let shown = this.#shown.get(object);
    if (shown === undefined) {
      shown = this.#form.shown(object);
      this.#shown.set(object, shown);
      // A failed conversion is retried at the next read.
      if (shown instanceof Promise) shown.catch(() => this.#shown.delete(object));
    }
    return shown;
  }

  /**
   * Returns an entry in the form that clients see. Without a conversion, the entry is decoded only on use.
   */
  show(codec: Codec, entry: Entry): Shown | Promise<Shown> {
    return this.converts ? this.#convert(codec, entry) : new Plain(codec, entry);
  }

  async showAll(codec: Codec, entries: readonly Entry[]): Promise<readonly Shown[]> {
    return this.converts
      ? Promise.all(entries.map((entry) => this.#convert(codec, entry)))
      : entries.map((entry) => new Plain(codec, entry));
  }

  async #convert(codec: Codec, entry: Entry): Promise<Shown> {
    const stored = codec.decode(entry);
    const object = await this.shown(stored);
    return object === stored ? { object, encoded: entry.value } : new Converted(this, object);
  }

  /** Returns the JSON of a converted object, which all clients share. */
  jsonOf(shown: KubeObject): Uint8Array {
    let json = this.#json.get(shown);
    if (json === undefined) this.#json.set(shown, (json = Buffer.from(toJson(shown))));
    return json;
  }

  /** Returns the prefix of all objects of this resource, or of one namespace. */
  prefix(namespace: string): string {
    return namespace === ""
      ? `/registry/${this.storageName}/`
      : `/registry/${this.storageName}/${namespace}/`;
  }

  key(namespace: string, name: string): string {
    return this.prefix(this.kind.namespaced ? namespace : "") + name;
  }

  /**
   * Returns a function that reads a field selector's field; undefined for a field that cannot be selected by.
   */
  selectable(field: string): ((object: KubeObject) => string) | undefined {
    if (field === "metadata.name") return (object) => object.metadata.name ?? "";
    // Built-in resources accept it even when they are cluster-scoped.
    if (field === "metadata.namespace" && (this.kind.namespaced || this.custom === undefined))
      return (object) => object.metadata.namespace ?? "";
    return ownValue(this.strategy.selectableFields, field);
  }
}

/** A stored object in the form that clients of a resource see. */
export interface Shown {
  readonly object: KubeObject;
  /** The object's JSON, if clients share it. */
  readonly encoded: Uint8Array | undefined;
}

class Plain implements Shown {
  readonly encoded: Uint8Array;
  readonly #codec: Codec;
  readonly #entry: Entry;

  constructor(codec: Codec, entry: Entry) {
    this.encoded = entry.value;
    this.#codec = codec;
    this.#entry = entry;
  }

  get object(): KubeObject {
    return this.#codec.decode(this.#entry);
  }
}

class Converted implements Shown {
  readonly object: KubeObject;
  readonly #resource: ServedResource;

  constructor(resource: ServedResource, object: KubeObject) {
    this.#resource = resource;
    this.object = object;
  }

  get encoded(): Uint8Array {
    return this.#resource.jsonOf(this.object);
  }
}

/**
 * All served resources by group, version and plural: built-in ones, and those of CustomResourceDefinitions.
 */
export class ResourceTable {
  readonly #builtIn = new Map<string, ServedResource>();
  readonly #custom = new Map<string, ServedResource>();
  /** By apiVersion and kind, as in objects. */
  readonly #messages = new Map<string, MessageType>();
  #version = 0;

  constructor(registrations: readonly Registration[]) {
    for (const registration of registrations) {
      const resource = new ServedResource(registration);
      this.#builtIn.set(tableKey(resource.kind), resource);
    }
    for (const kind of [...registrations.map((one) => one.kind), ...bodies]) {
      this.#messages.set(`${kind.apiVersion}/${kind.kind}`, kind.schema);
      this.#messages.set(`${kind.apiVersion}/${kind.listKind}`, listMessage(kind));
    }
  }

  /** Changes with the served resources: documents about all resources are valid for one version. */
  get version(): number {
    return this.#version;
  }

  /** Replaces some custom resources by others. Built-in resources take precedence. */
  exchange(gone: readonly ServedResource[], added: readonly ServedResource[]): void {
    for (const resource of gone) {
      const place = tableKey(resource.kind);
      if (this.#custom.get(place) === resource) this.#custom.delete(place);
    }
    for (const resource of added) this.#custom.set(tableKey(resource.kind), resource);
    this.#version += 1;
  }

  /** Reports whether a built-in resource has the same location in the store. */
  isBuiltIn({ storageName }: ServedResource): boolean {
    return [...this.#builtIn.values()].some((one) => one.storageName === storageName);
  }

  /** Returns the protobuf message of a kind or of its list; undefined without one. */
  messageOf(apiVersion: string, kind: string): MessageType | undefined {
    return this.#messages.get(`${apiVersion}/${kind}`);
  }

  find(group: string, version: string, plural: string): ServedResource | undefined {
    const place = tableKey({ group, version, plural });
    return this.#builtIn.get(place) ?? this.#custom.get(place);
  }

  /** Returns the resource of a kind, e.g. to read a patch's or a Table's objects. */
  of(kind: Pick<Kind, "group" | "version" | "plural">): ServedResource {
    const resource = this.find(kind.group, kind.version, kind.plural);
    if (resource === undefined) throw new TypeError(`Cannot use ${kind.plural}: it is not served`);
    return resource;
  }

  *all(): Generator<ServedResource, undefined> {
    yield* this.#builtIn.values();
    for (const [place, resource] of this.#custom) if (!this.#builtIn.has(place)) yield resource;
  }
}

function tableKey({ group, version, plural }: Pick<Kind, "group" | "version" | "plural">): string {
  return `${group}/${version}/${plural}`;
}
