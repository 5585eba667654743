import type { Container } from "../api/core/pod/container.ts";
import type { Pod } from "../api/core/pod/schema.ts";
import { parseQuantity, quantityMilliValue, quantityValue } from "../meta/quantity.ts";

type Quantities = Readonly<Record<string, string>>;

/** Amounts of resources: CPU in thousandths, everything else in whole units (scheduler `framework.Resource`). */
export class Resources {
  milliCpu = 0;
  memory = 0;
  ephemeralStorage = 0;
  /** The number of Pods that a node takes. */
  pods = 0;
  /** Extended resources and huge pages, by name. */
  readonly scalars = new Map<string, number>();

  static of(quantities: Quantities = {}): Resources {
    const resources = new Resources();
    for (const [name, text] of Object.entries(quantities)) {
      const quantity = parseQuantity(text);
      resources.set(name, name === "cpu" ? quantityMilliValue(quantity) : quantityValue(quantity));
    }
    return resources;
  }

  get(name: string): number {
    switch (name) {
      case "cpu":
        return this.milliCpu;
      case "memory":
        return this.memory;
      case "ephemeral-storage":
        return this.ephemeralStorage;
      case "pods":
        return this.pods;
      default:
        return this.scalars.get(name) ?? 0;
    }
  }

  set(name: string, amount: number): void {
    switch (name) {
      case "cpu":
        this.milliCpu = amount;
        break;
      case "memory":
        this.memory = amount;
        break;
      case "ephemeral-storage":
        this.ephemeralStorage = amount;
        break;
      case "pods":
        this.pods = amount;
        break;
      default:
        this.scalars.set(name, amount);
    }
  }

  /** Adds the other amounts; with `sign` -1, subtracts them. */
  add(other: Resources, sign: 1 | -1 = 1): void {
    this.milliCpu += sign * other.milliCpu;
    this.memory += sign * other.memory;
    this.ephemeralStorage += sign * other.ephemeralStorage;
    this.pods += sign * other.pods;
    for (const [name, amount] of other.scalars) {
      const sum = (this.scalars.get(name) ?? 0) + sign * amount;
      if (sum === 0) this.scalars.delete(name);
      else this.scalars.set(name, sum);
    }
  }

  /** Raises each amount to the other's, where that is more. */
  raiseTo(other: Resources): void {
    this.milliCpu = Math.max(this.milliCpu, other.milliCpu);
    this.memory = Math.max(this.memory, other.memory);
    this.ephemeralStorage = Math.max(this.ephemeralStorage, other.ephemeralStorage);
    for (const [name, amount] of other.scalars) {
      this.scalars.set(name, Math.max(this.scalars.get(name) ?? 0, amount));
    }
  }
}

/** The sums of requests by Pod spec, each computed once: a spec is immutable. */
const requests = new WeakMap<Pod["spec"], Resources>();

/**
 * The request of a Pod: all containers together, or the most demanding init container with the sidecars
 * before it, whichever is more; plus the overhead (component-helpers `resource.PodRequests`).
 */
export function podRequest({ spec }: Pod): Resources {
  let known = requests.get(spec);
  if (known === undefined) requests.set(spec, (known = sum(spec, requestOf)));
  return known;
}

const nonZero = new WeakMap<Pod["spec"], Resources>();

/** The request by which nodes are compared: containers without requests count with a default. */
export function nonZeroRequest({ spec }: Pod): Resources {
  let known = nonZero.get(spec);
  if (known === undefined) nonZero.set(spec, (known = sum(spec, nonZeroRequestOf)));
  return known;
}

function sum(spec: Pod["spec"], of: (container: Container) => Resources): Resources {
  const total = new Resources();
  for (const container of spec.containers) total.add(of(container));
  const sidecars = new Resources();
  const peak = new Resources();
  for (const container of spec.initContainers ?? []) {
    const own = of(container);
    if (container.restartPolicy === "Always") {
      sidecars.add(own);
      total.add(own);
    } else {
      own.add(sidecars);
      peak.raiseTo(own);
    }
  }
  total.raiseTo(peak);
  // Requests of the Pod as a whole replace those of its containers (KEP-2837).
  const whole = Resources.of(spec.resources?.requests);
  for (const name of Object.keys(spec.resources?.requests ?? {})) total.set(name, whole.get(name));
  total.add(Resources.of(spec.overhead));
  return total;
}

function requestOf({ resources }: Container): Resources {
  return Resources.of(resources.requests);
}

/** The requests that a container without requests counts for (scheduler `util.DefaultMilliCPURequest`). */
const defaultMilliCpu = 100;
const defaultMemory = 200 * 1024 * 1024;

function nonZeroRequestOf(container: Container): Resources {
  const request = requestOf(container);
  const { requests: given } = container.resources;
  if (given?.["cpu"] === undefined) request.milliCpu = defaultMilliCpu;
  if (given?.["memory"] === undefined) request.memory = defaultMemory;
  return request;
}
