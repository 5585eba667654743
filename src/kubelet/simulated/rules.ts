import { everything, type Selector, selectorOf } from "../../meta/labels.ts";
import type { PodFacts } from "../runtime.ts";
import type { ContainerRule, Stages } from "./configuration/schema.ts";
import type { ProgramUsage } from "./program.ts";
import { usageOf } from "./usage.ts";

/** A rule in the form that containers are compared with. */
export interface Rule {
  readonly stages: Stages;
  readonly usage: ProgramUsage | undefined;
}

interface Conditions {
  readonly images: readonly (readonly string[])[];
  readonly namespaces: ReadonlySet<string>;
  readonly selector: Selector;
  readonly rule: Rule;
}

/** No registry's reference is longer. A longer text of a Pod matches no pattern. */
const longestImage = 1024;

/** The rules for containers, shared by all nodes. The first that matches counts. */
export class Rules {
  readonly #rules: readonly Conditions[];

  /** The rules must be valid (`configuration/validation.ts`). */
  constructor(rules: readonly ContainerRule[] = []) {
    this.#rules = rules.map(({ images = [], namespaces = [], podSelector, stages = {}, usage }) => ({
      images: images.map((pattern) => pattern.split("*")),
      namespaces: new Set(namespaces),
      selector: podSelector === undefined ? everything : selectorOf(podSelector),
      rule: { stages, usage: usage === undefined ? undefined : usageOf(usage) },
    }));
  }

  /** Returns the rule for a container by its Pod and its image, as the Pod names the image. */
  find({ namespace, labels }: PodFacts, image: string): Rule | undefined {
    return this.#rules.find(
      ({ images, namespaces, selector }) =>
        (images.length === 0 || images.some((parts) => matches(parts, image))) &&
        (namespaces.size === 0 || namespaces.has(namespace)) &&
        selector.matches(labels),
    )?.rule;
  }
}

/** Compares a text with the parts of a pattern between its stars. Each part is searched once. */
function matches([first = "", ...others]: readonly string[], text: string): boolean {
  if (text.length > longestImage) return false;
  const last = others.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first) || !text.endsWith(last)) return false;
  let from = first.length;
  for (const part of others) {
    const at = text.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return from + last.length <= text.length;
}
