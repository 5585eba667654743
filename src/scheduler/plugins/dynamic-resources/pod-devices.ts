import type { Node } from "../../../api/core/node/schema.ts";
import { matchesTerm } from "../../../api/core/node-selection.ts";
import type { AllocationResult, ResourceClaim } from "../../../api/resource/resource-claim/schema.ts";
import { type Unfit, unresolvable } from "../../framework.ts";
import { allocate } from "./allocate.ts";
import type { Pod } from "../../../api/core/pod/schema.ts";
import { parseQuantity, quantityValue } from "../../../meta/quantity.ts";
import type { DeviceState } from "./device-state.ts";
import { AllocationTimeout, Effort } from "./effort.ts";
import { type ClassesByResource, type ExtendedClaim, extendedClaim } from "./extended-resources.ts";
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

/** The allocations with which a Pod can run on a node. */
export interface Placement {
  /** Each claim without devices, with its allocation. */
  readonly allocations: ReadonlyMap<ResourceClaim, AllocationResult>;
  /** The claim for extended resources, which does not exist yet; undefined if the node needs none. */
  readonly extended: ExtendedClaim | undefined;
  readonly score: number;
}

type Answer = Placement | { readonly unfit: Unfit };

/** A Pod with its claims and the extended resources for which classes provide devices. */
export interface PodClaims {
  readonly pod: Pod;
  readonly claims: readonly ResourceClaim[];
  readonly classes: ClassesByResource;
  /** The claim for extended resources that an earlier attempt has left, and that must be deleted first. */
  readonly stale: ResourceClaim | undefined;
}

/** The claims of a Pod against the nodes, at one state of claims, slices and classes. */
export class PodDevices {
  readonly claims: readonly ResourceClaim[];
  readonly stale: ResourceClaim | undefined;
  readonly #pod: Pod;
  readonly #classes: ClassesByResource;
  /** The claims without devices, in their order. */
  readonly #unallocated: readonly ResourceClaim[];
  readonly #state: DeviceState;
  readonly #options: PodDevicesOptions;
  /** The answers depend on the state of this object, on the node, and on its devices in use. */
  readonly #answers = new WeakMap<Node, { readonly answer: Answer; readonly version: number }>();

  constructor({ pod, claims, classes, stale }: PodClaims, state: DeviceState, options: PodDevicesOptions) {
    this.claims = claims;
    this.stale = stale;
    this.#pod = pod;
    this.#classes = classes;
    this.#unallocated = claims.filter(({ status }) => status.allocation === undefined);
    this.#state = state;
    this.#options = options;
  }

  /** True when every node accepts the Pod. */
  get isEmpty(): boolean {
    return this.claims.length === 0 && this.#classes.size === 0;
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

  /** The allocations on the node, or the reasons why there are none. */
  placement(node: Node): Placement | string {
    const answer = this.#answerFor(node);
    return "unfit" in answer ? answer.unfit.reasons.join(", ") : answer;
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
    const version = this.#state.nodeVersion(node.metadata.name ?? "");
    const known = this.#answers.get(node);
    if (known?.version === version) return known.answer;
    const answer = this.#findAnswer(node);
    this.#answers.set(node, { answer, version });
    return answer;
  }

  #findAnswer(node: Node): Answer {
    if (this.stale !== undefined) return { unfit: unresolvable("cannot schedule extended resource claim") };
    const missing = new Map([...this.#classes].filter(([resource]) => !provides(node, resource)));
    const extended = missing.size === 0 ? undefined : extendedClaim(this.#pod, missing);
    const wanted = extended === undefined ? this.#unallocated : [...this.#unallocated, extended.claim];
    const found = this.#allocate(node, wanted);
    if (typeof found === "string") return { unfit: unresolvable(found) };
    if (this.unavailable(node).length > 0)
      return { unfit: unresolvable("resourceclaim not available on the node") };
    const allocations = new Map(
      wanted.flatMap((claim, i) => {
        const allocation = found[i];
        return allocation === undefined ? [] : [[claim, allocation] as const];
      }),
    );
    return { allocations, extended, score: scoreOf(this.claims, allocations) };
  }

  /** The allocations, or the reason why there are none. */
  #allocate(node: Node, claims: readonly ResourceClaim[]): readonly AllocationResult[] | string {
    const state = this.#state;
    const effort = new Effort(this.#options.nodeSteps, state.effort);
    try {
      const input = {
        claims,
        node,
        pools: claims.length === 0 ? [] : state.slices.poolsOf(node, effort),
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

/** Reports whether the node has the resource without devices of claims, from a device plugin. */
function provides({ status }: Node, resource: string): boolean {
  const { allocatable = {} } = status;
  const amount = Object.hasOwn(allocatable, resource) ? allocatable[resource] : undefined;
  return amount !== undefined && quantityValue(parseQuantity(amount)) > 0;
}

function scoreOf(
  claims: readonly ResourceClaim[],
  allocations: ReadonlyMap<ResourceClaim, AllocationResult>,
): number {
  return claims.reduce((sum, claim) => {
    const allocation = claim.status.allocation ?? allocations.get(claim);
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
