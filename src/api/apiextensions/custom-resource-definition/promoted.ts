import { deepEqual } from "../../../util/deep-equal.ts";
import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
  CustomResourceSubresources,
  CustomResourceValidation,
  SelectableField,
} from "./schema.ts";

/** What versions may have in common. */
interface Shared {
  readonly schema?: CustomResourceValidation;
  readonly subresources?: CustomResourceSubresources;
  readonly additionalPrinterColumns?: readonly CustomResourceColumnDefinition[];
  readonly selectableFields?: readonly SelectableField[];
}

/** A spec whose versions say only what is not the same in all of them. */
export interface PromotedSpec {
  readonly shared: Shared;
  readonly versions: readonly CustomResourceDefinitionVersion[];
}

const names = ["schema", "subresources", "additionalPrinterColumns", "selectableFields"] as const;

/**
 * Upstream keeps what is the same in all versions beside them, as the API's first version had it, and its
 * error messages name those places: `spec.validation` instead of `spec.versions[0].schema`.
 */
export function promote({ versions }: CustomResourceDefinitionSpec): PromotedSpec {
  const [first] = versions;
  const same = names.filter((name) => versions.every((version) => deepEqual(version[name], first?.[name])));
  const isSame = (name: string) => same.some((one) => one === name);
  const pick = (object: object, wanted: (name: string) => boolean) =>
    Object.fromEntries(Object.entries(object).filter(([name]) => wanted(name)));
  return {
    shared: pick(first ?? {}, isSame),
    versions: versions.map(
      (version) => pick(version, (name) => !isSame(name)) as unknown as CustomResourceDefinitionVersion,
    ),
  };
}
