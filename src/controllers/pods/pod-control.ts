import { type Pod, pods } from "../../api/core/pod/schema.ts";
import type { PodTemplateSpec } from "../../api/core/pod/spec.ts";
import type { Client } from "../../client/client.ts";
import type { EventSink } from "../../client/event-recorder.ts";
import type { InputOf, KubeObject } from "../../meta/kind.ts";
import { hasReason, StatusError } from "../../meta/status.ts";
import { maskTrailingDash, subdomainProblems } from "../../meta/validation/dns.ts";
import { controllerRef } from "../ownership/controller-ref.ts";
import { errorText } from "../../util/error-text.ts";

type PodInput = InputOf<typeof pods>;

/** Makes a Pod from the owner's template, with a name to be generated. */
export function podFromTemplate(owner: KubeObject, { metadata, spec }: PodTemplateSpec): PodInput {
  const { labels, annotations, finalizers } = metadata;
  const { name: ownerName = "", namespace } = owner.metadata;
  const prefix = `${ownerName}-`;
  const generateName = subdomainProblems(maskTrailingDash(prefix)).length === 0 ? prefix : ownerName;
  return {
    metadata: {
      generateName,
      namespace,
      labels,
      annotations,
      finalizers,
      ownerReferences: [controllerRef(owner)],
    },
    spec,
  };
}

/** Creates and deletes an owner's Pods, and records Events on the owner (upstream `RealPodControl`). */
export class PodControl {
  readonly #client: Client;
  readonly #events: EventSink;
  readonly #owner: KubeObject;

  constructor(client: Client, events: EventSink, owner: KubeObject) {
    this.#client = client;
    this.#events = events;
    this.#owner = owner;
  }

  /** @throws StatusError */
  async create(pod: PodInput): Promise<Pod> {
    try {
      const created = await this.#client.of(pods).create(pod);
      this.#tell("Normal", "SuccessfulCreate", `Created pod: ${created.metadata.name}`);
      return created;
    } catch (error) {
      if (!isNamespaceEnding(error))
        this.#tell("Warning", "FailedCreate", `Error creating: ${errorText(error)}`);
      throw error;
    }
  }

  /** @throws StatusError NotFound unchanged; PodDeletionError for every other error. */
  async delete({ metadata: { name = "", namespace } }: Pod): Promise<void> {
    try {
      await this.#client.of(pods, namespace).delete(name);
      this.#tell("Normal", "SuccessfulDelete", `Deleted pod: ${name}`);
    } catch (error) {
      if (hasReason(error, "NotFound")) throw error;
      this.#tell("Warning", "FailedDelete", `Error deleting: ${errorText(error)}`);
      throw new PodDeletionError(`unable to delete pods: ${errorText(error)}`, { cause: error });
    }
  }

  #tell(type: "Normal" | "Warning", reason: string, message: string): void {
    this.#events.event(this.#owner, type, reason, message);
  }
}

/** The server refused to delete a Pod; the caller retries. */
export class PodDeletionError extends Error {
  override readonly name = "PodDeletionError";
}

/** Reports whether a create was refused because its namespace is terminating: no retry will succeed. */
export function isNamespaceEnding(error: unknown): boolean {
  if (!(error instanceof StatusError)) return false;
  return error.status.details?.causes?.some(({ reason }) => reason === "NamespaceTerminating") ?? false;
}
