import { deepEqual } from "../../../util/deep-equal.ts";
import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
  CustomResourceSubresources,
  CustomResourceValidation,
  SelectableField,
} from "./schema.ts";

/** The parts of a version that can be equal in all versions. */
interface Shared {
  readonly schema?: CustomResourceValidation;
  readonly subresources?: CustomResourceSubresources;
  readonly additionalPrinterColumns?: readonly CustomResourceColumnDefinition[];
  readonly selectableFields?: readonly SelectableField[];
}

/** A spec whose versions contain only the parts that differ between versions. */
export interface PromotedSpec {
  readonly shared: Shared;
  readonly versions: readonly CustomResourceDefinitionVersion[];
}

type Shallow<T> = { -readonly [K in keyof T]: T[K] };

const names = ["schema", "subresources", "additionalPrinterColumns", "selectableFields"] as const;

/**
 * Moves the parts that are equal in all versions out of the versions. Upstream keeps equal parts at the top
 * level of the spec, as `v1beta1` did, and its error messages name those paths: `spec.validation` instead of
 * `spec.versions[0].schema`.
 */
export function promote({ versions }: CustomResourceDefinitionSpec): PromotedSpec {
  const [first] = versions;
  const same = names.filter((name) => versions.every((version) => deepEqual(version[name], first?.[name])));
  const isSame = (name: string) => same.some((one) => one === name);
  return {
    shared: Object.fromEntries(Object.entries(first ?? {}).filter(([name]) => isSame(name))),
    versions: versions.map((version) => {
      const own: Shallow<CustomResourceDefinitionVersion> = { ...version };
      for (const name of same) delete own[name];
      return own;
    }),
  };
}
