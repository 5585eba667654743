import {
  type CustomResourceDefinition,
  customResourceDefinitions,
} from "../../api/apiextensions/custom-resource-definition/schema.ts";
import { groupResource } from "../../meta/kind.ts";
import type { Revision } from "../../store/store.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import { ServedResource } from "../resources/served.ts";
import type { Services } from "../services.ts";
import { isTrue } from "./conditions.ts";
import { type Converter, renameVersion } from "./conversion/converter.ts";
import { webhookConverter } from "./conversion/webhook-converter.ts";
import { registrationsOf } from "./registrations.ts";

type Definition = CustomResourceDefinition;

/** A definition and the resources that it adds to the server at present. */
interface Serving {
  readonly definition: Definition;
  readonly served: readonly ServedResource[];
  /** The storage version; undefined while no name is accepted. */
  readonly storage: ServedResource | undefined;
}

type Reads = "store" | "codec" | "hub" | "resources" | "webhooks" | "env";

const nothing = { served: [], storage: undefined };

/**
 * All definitions, and their resources in the server's table. Both follow the store's changes before any
 * watcher is informed: a client that sees a definition as established finds its resource served.
 */
export class ServedDefinitions {
  readonly #services: Pick<Services, Reads>;
  readonly #byName = new Map<string, Serving>();

  /** `changed` is called with the name of each definition that was written or deleted. */
  constructor(services: Pick<Services, Reads>, changed: (name: string) => void) {
    this.#services = services;
    const storageName = groupResource(customResourceDefinitions);
    const prefix = `/registry/${storageName}/`;
    const { entries, revision } = services.store.list(prefix);
    let position: Revision = revision;
    for (const entry of entries) this.note(services.codec.read(customResourceDefinitions, entry));
    services.hub.feed(storageName).observe((record) => {
      if (record.revision <= position) return;
      position = record.revision;
      const name = record.key.slice(prefix.length);
      if (record.entry === undefined) this.#forget(name);
      else this.note(services.codec.read(customResourceDefinitions, record.entry));
      changed(name);
    });
  }

  names(): IterableIterator<string> {
    return this.#byName.keys();
  }

  get(name: string): Serving | undefined {
    return this.#byName.get(name);
  }

  inGroup(group: string): readonly Definition[] {
    return [...this.#byName.values()]
      .map(({ definition }) => definition)
      .filter(({ spec }) => spec.group === group);
  }

  /** Serves a definition's resources from now on. */
  note(definition: Definition): void {
    const name = definition.metadata.name ?? "";
    const old = this.#byName.get(name);
    if (old !== undefined && revisionOf(definition) < revisionOf(old.definition)) return;
    if (old !== undefined && servesTheSame(old.definition, definition)) {
      this.#byName.set(name, { ...old, definition });
      return;
    }
    const next = { definition, ...(isServed(definition) ? this.#serve(definition) : nothing) };
    this.#byName.set(name, next);
    this.#exchange(old, next);
    if (old !== undefined && !hasTheSameObjects(old.definition, definition)) this.#endWatches(old);
  }

  #forget(name: string): void {
    const old = this.#byName.get(name);
    if (old === undefined) return;
    this.#byName.delete(name);
    this.#exchange(old, nothing);
    this.#endWatches(old);
  }

  #serve(definition: Definition): Pick<Serving, "served" | "storage"> {
    const { served, storage } = registrationsOf(definition, this.#converterOf(definition));
    const resources = new Map([...served, storage].map((one) => [one, new ServedResource(one)]));
    return {
      served: served.map((one) => resources.get(one)).filter((one) => one !== undefined),
      storage: resources.get(storage),
    };
  }

  #converterOf({ spec: { conversion } }: Definition): Converter {
    if (conversion?.strategy !== "Webhook" || conversion.webhook === undefined) return renameVersion;
    const { webhooks, env } = this.#services;
    return webhookConverter(conversion.webhook, webhooks, env.random);
  }

  #exchange(old: Pick<Serving, "served"> = nothing, next: Pick<Serving, "served">): void {
    if (old.served.length + next.served.length > 0)
      this.#services.resources.exchange(old.served, next.served);
  }

  /**
   * Ends the watches of the resources, so that clients list again and see the objects' new form, or NotFound.
   */
  #endWatches({ storage }: Serving): void {
    if (storage !== undefined) this.#services.hub.feed(storage.storageName).close();
  }
}

function revisionOf({ metadata }: Definition): number {
  return Number(metadata.resourceVersion);
}

function isServed(definition: Definition): boolean {
  const { plural, kind } = definition.status.acceptedNames;
  const isAccepted = isTrue(definition, "NamesAccepted") || isTrue(definition, "Established");
  return isAccepted && plural !== "" && kind !== "";
}

function hasTheSameObjects(a: Definition, b: Definition): boolean {
  return deepEqual(a.spec, b.spec) && deepEqual(a.status.acceptedNames, b.status.acceptedNames);
}

const telling = ["NamesAccepted", "Established", "Terminating"];

function servesTheSame(a: Definition, b: Definition): boolean {
  return hasTheSameObjects(a, b) && telling.every((type) => isTrue(a, type) === isTrue(b, type));
}
