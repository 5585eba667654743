import { createHash } from "node:crypto";
import type { ContainerImage } from "../../api/core/node/schema.ts";
import { sleep } from "../../util/clock.ts";
import type { Env } from "../../util/env.ts";
import { LruMap } from "../../util/lru.ts";
import { type ImageService, type ImageStatus, type PodFacts, RuntimeError } from "../runtime.ts";
import { drawDelay } from "./delay.ts";
import type { Rules } from "./rules.ts";

/** The number of pulled images that a node keeps: those used least recently are removed, as a kubelet does. */
const maxPulled = 100;

/**
 * The images of a simulated node, without content. An image is on the node unless the rule of its container has a
 * pull stage; then it must be pulled first.
 */
export class SimulatedImages implements ImageService {
  readonly #env: Env;
  readonly #rules: Rules;
  readonly #listed: readonly ImageStatus[];
  readonly #names: ReadonlySet<string>;
  readonly #pulled = new LruMap<string, boolean>(maxPulled);

  /** `listed` are the images that are on the node from the start. */
  constructor(env: Env, rules: Rules, listed: readonly ContainerImage[] = []) {
    this.#env = env;
    this.#rules = rules;
    this.#listed = listed.map(({ names, sizeBytes = 0 }) => ({
      id: imageId(names[0] ?? ""),
      tags: names,
      digests: [],
      sizeBytes,
    }));
    this.#names = new Set(listed.flatMap(({ names }) => names));
  }

  async pull(reference: string, pod?: PodFacts): Promise<ImageStatus> {
    const stage = this.#stage(reference, pod);
    if (stage === undefined) return statusOf(reference);
    const { clock, random } = this.#env;
    const delay = drawDelay(stage.delay, random);
    if (delay > 0) await sleep(clock, delay);
    const { failure } = stage;
    if (failure !== undefined) {
      const reason = failure.reason === "InvalidImageName" ? "InvalidImageName" : "ErrImagePull";
      throw new RuntimeError(
        reason,
        failure.message || `cannot pull ${JSON.stringify(reference)}: simulated`,
      );
    }
    this.#pulled.set(reference, true);
    return statusOf(reference);
  }

  async inspect(reference: string, pod?: PodFacts): Promise<ImageStatus | undefined> {
    const isPresent =
      this.#names.has(reference) ||
      this.#pulled.get(reference) === true ||
      this.#stage(reference, pod) === undefined;
    return isPresent ? statusOf(reference) : undefined;
  }

  async list(): Promise<readonly ImageStatus[]> {
    return this.#listed;
  }

  async remove(reference: string): Promise<void> {
    this.#pulled.set(reference, false);
  }

  #stage(reference: string, pod: PodFacts | undefined) {
    return pod === undefined ? undefined : this.#rules.find(pod, reference)?.stages.pull;
  }
}

/** The last ID that was made, because the Pods of a rollout have the same image. */
let last = { reference: "", id: "" };

export function imageId(reference: string): string {
  if (last.reference !== reference)
    last = { reference, id: `sha256:${createHash("sha256").update(reference).digest("hex")}` };
  return last.id;
}

function statusOf(reference: string): ImageStatus {
  return { id: imageId(reference), tags: [reference], digests: [], sizeBytes: 0 };
}
