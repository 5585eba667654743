import { cleanupFinalizer } from "../../api/apiextensions/custom-resource-definition/strategy.ts";
import type { CustomResourceDefinition } from "../../api/apiextensions/custom-resource-definition/schema.ts";
import { hasReason } from "../../meta/status.ts";
import type { Services } from "../services.ts";
import { finishDeletion } from "./deletion.ts";
import { planStatus } from "./plan-status.ts";
import { ServedDefinitions } from "./served-definitions.ts";
import { writeStatus } from "./write-status.ts";
import { findCondition } from "../../meta/conditions.ts";

type Definition = CustomResourceDefinition;

/** The delay between a failure and the next attempt. */
const retryMs = 1000;

/** Serves custom resources, and reports the result in the status of their CustomResourceDefinitions. */
export class CustomResources {
  readonly #services: Services;
  readonly #definitions: ServedDefinitions;
  /** The names of definitions that must be reconciled. */
  readonly #dirty = new Set<string>();
  readonly #deletions = new Set<string>();
  #wake: () => void = () => {};

  /** Serves the resources of stored definitions from here on. */
  constructor(services: Services) {
    this.#services = services;
    this.#definitions = new ServedDefinitions(services, (name) => this.#add(name));
    for (const name of this.#definitions.names()) this.#dirty.add(name);
  }

  /** Updates statuses, and deletes the objects of terminating definitions, until the signal fires. */
  async run(signal: AbortSignal): Promise<void> {
    const stop = () => this.#wake();
    signal.addEventListener("abort", stop, { once: true });
    while (!signal.aborted) {
      const [name] = this.#dirty;
      if (name === undefined) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        continue;
      }
      this.#dirty.delete(name);
      await this.#settle(name, signal);
    }
    signal.removeEventListener("abort", stop);
  }

  #add(name: string): void {
    this.#dirty.add(name);
    this.#wake();
  }

  async #settle(name: string, signal: AbortSignal): Promise<void> {
    try {
      const definition = this.#definitions.get(name)?.definition;
      if (definition !== undefined) await this.#writeStatus(definition);
      else this.#reconsiderGroup(name);
      if (definition !== undefined) this.#beginDeletion(definition, signal);
    } catch (error) {
      if (hasReason(error, "NotFound") || signal.aborted) return;
      const { env } = this.#services;
      env.log.error("a CustomResourceDefinition could not be reconciled", { name, error: String(error) });
      env.clock.after(retryMs, () => this.#add(name));
    }
  }

  async #writeStatus(definition: Definition): Promise<void> {
    const next = this.#planned(definition);
    if (next === definition) return;
    // Before any client can see the definition as established.
    this.#definitions.note(next);
    const name = definition.metadata.name ?? "";
    try {
      await writeStatus(this.#services, name, (old) => ({ status: this.#planned(old).status }));
    } catch (error) {
      this.#definitions.note(definition);
      throw error;
    }
    this.#reconsiderGroup(name);
  }

  #planned(definition: Definition): Definition {
    const { name } = definition.metadata;
    const others = this.#definitions
      .inGroup(definition.spec.group)
      .filter(({ metadata }) => metadata.name !== name);
    const status = planStatus(definition, [...others, definition], this.#services.env.clock.now());
    return status === definition.status ? definition : { ...definition, status };
  }

  /** Reconciles definitions of the group that wait for a name, because names may have become free. */
  #reconsiderGroup(name: string): void {
    const group = name.slice(name.indexOf(".") + 1);
    for (const { metadata, status } of this.#definitions.inGroup(group)) {
      const waits = findCondition(status.conditions, "NamesAccepted")?.status === "False";
      if (waits && metadata.name !== undefined && metadata.name !== name) this.#add(metadata.name);
    }
  }

  #beginDeletion({ metadata }: Definition, signal: AbortSignal): void {
    const { name = "", deletionTimestamp, finalizers = [] } = metadata;
    if (deletionTimestamp === undefined || !finalizers.includes(cleanupFinalizer)) return;
    if (this.#deletions.has(name)) return;
    this.#deletions.add(name);
    const storageOf = () => this.#definitions.get(name)?.storage;
    void finishDeletion(this.#services, name, storageOf, signal).finally(() => this.#deletions.delete(name));
  }
}
