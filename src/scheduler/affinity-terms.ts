import type { Pod } from "../api/core/pod/schema.ts";
import type { PodAffinityTerm, WeightedPodAffinityTerm } from "../api/core/v1/scheduling.ts";
import { nothing, type Selector, selectorOf } from "../meta/labels.ts";

/** A term about other Pods, with its selectors parsed (scheduler `framework.AffinityTerm`). */
export interface Term {
  readonly topologyKey: string;
  readonly selector: Selector;
  readonly namespaces: ReadonlySet<string>;
  /** Selects further namespaces by their labels; `nothing` where the term has no namespaceSelector. */
  readonly namespaceSelector: Selector;
}

export interface WeightedTerm extends Term {
  readonly weight: number;
}

/** All terms of a Pod. */
export interface Terms {
  readonly requiredAffinity: readonly Term[];
  readonly requiredAntiAffinity: readonly Term[];
  readonly preferredAffinity: readonly WeightedTerm[];
  readonly preferredAntiAffinity: readonly WeightedTerm[];
}

const none: Terms = {
  requiredAffinity: [],
  requiredAntiAffinity: [],
  preferredAffinity: [],
  preferredAntiAffinity: [],
};

const parsed = new WeakMap<Pod["spec"], Terms>();

export function hasTerms({ spec }: Pod): boolean {
  return spec.affinity?.podAffinity !== undefined || spec.affinity?.podAntiAffinity !== undefined;
}

/** The terms of a Pod, parsed once for each spec. */
export function termsOf(pod: Pod): Terms {
  if (!hasTerms(pod)) return none;
  let terms = parsed.get(pod.spec);
  if (terms === undefined) parsed.set(pod.spec, (terms = parse(pod)));
  return terms;
}

function parse({ spec, metadata }: Pod): Terms {
  const { podAffinity, podAntiAffinity } = spec.affinity ?? {};
  const namespace = metadata.namespace ?? "";
  const plain = (terms: readonly PodAffinityTerm[] = []) => terms.map((term) => parseTerm(term, namespace));
  const weighted = (terms: readonly WeightedPodAffinityTerm[] = []) =>
    terms.map(({ weight, podAffinityTerm }) => ({ ...parseTerm(podAffinityTerm, namespace), weight }));
  return {
    requiredAffinity: plain(podAffinity?.requiredDuringSchedulingIgnoredDuringExecution),
    requiredAntiAffinity: plain(podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution),
    preferredAffinity: weighted(podAffinity?.preferredDuringSchedulingIgnoredDuringExecution),
    preferredAntiAffinity: weighted(podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution),
  };
}

/** `matchLabelKeys` and `mismatchLabelKeys` are part of the selector already: the API server has merged them (KEP-3633). */
function parseTerm(term: PodAffinityTerm, namespace: string): Term {
  const { namespaces = [], namespaceSelector, labelSelector, topologyKey } = term;
  const isOwn = namespaces.length === 0 && namespaceSelector === undefined;
  return {
    topologyKey,
    selector: labelSelector === undefined ? nothing : selectorOf(labelSelector),
    namespaces: new Set(isOwn ? [namespace] : namespaces),
    namespaceSelector: namespaceSelector === undefined ? nothing : selectorOf(namespaceSelector),
  };
}

/** The label keys that the Pod's terms look at. */
export function selectedKeys(pod: Pod): readonly string[] {
  const { requiredAffinity, requiredAntiAffinity, preferredAffinity, preferredAntiAffinity } = termsOf(pod);
  const terms = [
    ...requiredAffinity,
    ...requiredAntiAffinity,
    ...preferredAffinity,
    ...preferredAntiAffinity,
  ];
  return terms.flatMap(({ selector }) => selector.requirements.map(({ key }) => key));
}

/** The namespaces, as `Snapshot` knows them. */
interface Namespaces {
  namespaceLabels(name: string): Readonly<Record<string, string>> | undefined;
}

/** Reports whether the term selects the Pod. */
export function selects(term: Term, { metadata }: Pod, namespaces: Namespaces): boolean {
  const { namespace = "", labels } = metadata;
  if (!term.namespaces.has(namespace)) {
    const { namespaceSelector } = term;
    if (namespaceSelector === nothing) return false;
    const isSelected =
      namespaceSelector.empty || namespaceSelector.matches(namespaces.namespaceLabels(namespace));
    if (!isSelected) return false;
  }
  return term.selector.matches(labels);
}
