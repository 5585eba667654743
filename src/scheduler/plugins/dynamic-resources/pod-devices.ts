import type { Node } from "../../../api/core/node/schema.ts";
import { matchesTerm } from "../../../api/core/node-selection.ts";
import type { AllocationResult, ResourceClaim } from "../../../api/resource/resource-claim/schema.ts";
import { type Unfit, unresolvable } from "../../framework.ts";
import { allocate } from "./allocate.ts";
import type { DeviceState } from "./device-state.ts";
import { AllocationTimeout, Effort } from "./effort.ts";
import { isOverdue, readinessOf } from "./readiness.ts";
import { AllocationError } from "./requests.ts";

/** The most alternatives of a request, from which scores count down (upstream `FirstAvailableDeviceRequestMaxSize`). */
const mostAlternatives = 8;

export interface PodDevicesOptions {
  /** The time for the preparation of devices. */
  readonly bindingTimeoutMs: number;
  /** The steps that the allocation on one node may take. */
  readonly nodeSteps: number;
  readonly newShareId: () => string;
  readonly now: () => number;
}

/**
 * The steps for all nodes together, about a tenth of a second. The nodes after the last step are rejected; the results of
 * selectors are kept, so that the next attempt gets further.
 */
const allSteps = 100_000;

type Answer =
  | { readonly allocations: readonly AllocationResult[]; readonly score: number }
  | { readonly unfit: Unfit };

/** The claims of a Pod against the nodes, at one state of claims, slices and classes. */
export class PodDevices {
  readonly claims: readonly ResourceClaim[];
  /** The claims without devices, in their order. */
  readonly unallocated: readonly ResourceClaim[];
  readonly #state: DeviceState;
  readonly #options: PodDevicesOptions;
  readonly #effort = new Effort(allSteps);
  /** The answers depend on the state of this object and on the node alone. */
  readonly #answers = new Map<Node, Answer>();

  constructor(claims: readonly ResourceClaim[], state: DeviceState, options: PodDevicesOptions) {
    this.claims = claims;
    this.unallocated = claims.filter(({ status }) => status.allocation === undefined);
    this.#state = state;
    this.#options = options;
  }

  /** The reasons why the node does not have the devices. */
  unfit(node: Node): Unfit | undefined {
    const answer = this.#answerFor(node);
    return "unfit" in answer ? answer.unfit : undefined;
  }

  /** The preference for the chosen alternatives, the higher the better (upstream `computeScore`). */
  score(node: Node): number {
    const answer = this.#answerFor(node);
    return "unfit" in answer ? 0 : answer.score;
  }

  /** The allocations of the claims in `unallocated`; undefined if there are none on the node. */
  allocations(node: Node): readonly AllocationResult[] | undefined {
    const answer = this.#answerFor(node);
    return "unfit" in answer ? undefined : answer.allocations;
  }

  /** The allocated claims that keep the Pod from a node: their devices are elsewhere, or are not prepared. */
  unavailable(node: Node): readonly ResourceClaim[] {
    return this.claims.filter(
      (claim) => claim.status.allocation !== undefined && !this.#isAvailable(claim, node),
    );
  }

  #isAvailable(claim: ResourceClaim, node: Node): boolean {
    const { nodeSelector } = claim.status.allocation ?? {};
    if (nodeSelector?.nodeSelectorTerms.some((term) => matchesTerm(term, node)) === false) return false;
    const { type } = readinessOf(claim);
    const { now, bindingTimeoutMs } = this.#options;
    return type === "ready" || (type === "waiting" && !isOverdue(claim, now(), bindingTimeoutMs));
  }

  #answerFor(node: Node): Answer {
    const known = this.#answers.get(node);
    if (known !== undefined) return known;
    const answer = this.#findAnswer(node);
    this.#answers.set(node, answer);
    return answer;
  }

  #findAnswer(node: Node): Answer {
    const allocations = this.#allocate(node);
    if (typeof allocations === "string") return { unfit: unresolvable(allocations) };
    if (this.unavailable(node).length > 0)
      return { unfit: unresolvable("resourceclaim not available on the node") };
    return { allocations, score: scoreOf(this.claims, this.unallocated, allocations) };
  }

  /** The allocations, or the reason why there are none. */
  #allocate(node: Node): readonly AllocationResult[] | string {
    const state = this.#state;
    const effort = new Effort(this.#options.nodeSteps, this.#effort);
    try {
      const input = {
        claims: this.unallocated,
        node,
        pools: this.unallocated.length === 0 ? [] : state.slices.poolsOf(node, effort),
        allocated: state.devicesInUse,
        deviceClass: (name: string) => state.deviceClass(name),
        selectors: state.selectors,
        effort,
      };
      return allocate(input, this.#options.newShareId) ?? "cannot allocate all claims";
    } catch (error) {
      if (error instanceof AllocationTimeout) state.forgetAnswers();
      else if (!(error instanceof AllocationError)) throw error;
      return error.message;
    }
  }
}

function scoreOf(
  claims: readonly ResourceClaim[],
  unallocated: readonly ResourceClaim[],
  allocations: readonly AllocationResult[],
): number {
  return claims.reduce((sum, claim) => {
    const allocation = claim.status.allocation ?? allocations[unallocated.indexOf(claim)];
    const used = new Set(allocation?.devices.results?.map(({ request }) => request));
    return sum + claim.spec.devices.requests.reduce((own, request) => own + preferenceOf(request, used), 0);
  }, 0);
}

function preferenceOf(
  { name, firstAvailable = [] }: ResourceClaim["spec"]["devices"]["requests"][number],
  used: ReadonlySet<string>,
): number {
  const chosen = firstAvailable.findIndex((one) => used.has(`${name}/${one.name}`));
  return chosen < 0 ? 0 : mostAlternatives - chosen;
}
