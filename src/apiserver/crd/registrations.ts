import type {
  CustomResourceDefinition,
  CustomResourceDefinitionVersion,
} from "../../api/apiextensions/custom-resource-definition/schema.ts";
import type { JSONSchemaProps } from "../../api/apiextensions/custom-resource-definition/json-schema-props.ts";
import { isEstablished } from "../../api/apiextensions/custom-resource-definition/stored.ts";
import type { Kind, KubeObject } from "../../meta/kind.ts";
import { compareVersions } from "../../meta/version-order.ts";
import type { Registration, StoredForm } from "../../meta/strategy.ts";
import { isTrue } from "./conditions.ts";
import { conversionError, type Converter } from "./conversion/converter.ts";
import { kindOf } from "./kind.ts";
import { pruneConverted, settleStored } from "./object-form.ts";
import { strategyOf } from "./strategy.ts";

/** The resources that one definition adds to the server. */
export interface Registrations {
  /** One for each served version. */
  readonly served: readonly Registration[];
  /** The storage version, served or not. */
  readonly storage: Registration;
}

/** Returns the resources of a definition with accepted names. */
export function registrationsOf(definition: CustomResourceDefinition, convert: Converter): Registrations {
  const { versions } = definition.spec;
  const all = versions.map((version) => registration(definition, version, convert));
  const storage = all[versions.findIndex((version) => version.storage)];
  if (storage === undefined) throw new TypeError(`${definition.metadata.name} has no storage version`);
  return { served: all.filter((_, i) => versions[i]?.served === true), storage };
}

function registration(
  definition: CustomResourceDefinition,
  version: CustomResourceDefinitionVersion,
  convert: Converter,
): Registration {
  const kind = kindOf(definition, version);
  const warning = warningOf(definition, version, kind);
  return {
    kind,
    strategy: strategyOf(kind, version),
    storedForm: storedForm(definition, kind, convert),
    custom: {
      established: isEstablished(definition),
      terminating: isTrue(definition, "Terminating"),
      storageVersion: definition.spec.versions.find(({ storage }) => storage)?.name ?? "",
      ...(warning === undefined ? {} : { warning }),
    },
  };
}

/**
 * Stored objects get the defaults of the storage version's schema, and are pruned by the schema of the
 * version that they are converted to.
 */
function storedForm(definition: CustomResourceDefinition, kind: Kind, convert: Converter): StoredForm {
  const { group, versions } = definition.spec;
  const schemas = new Map(
    versions.map(({ name, schema }): [string, JSONSchemaProps | undefined] => [
      `${group}/${name}`,
      schema?.openAPIV3Schema,
    ]),
  );
  const storage = versions.find((version) => version.storage);
  const convertTo = (object: KubeObject, apiVersion: string) => {
    for (const one of [apiVersion, object.apiVersion]) {
      const way = one === apiVersion ? "to" : "from";
      if (!schemas.has(one))
        throw conversionError(`request to convert CR ${way} an invalid group/version: ${one}`);
    }
    const prune = (converted: KubeObject) => pruneConverted(converted, schemas.get(apiVersion));
    const converted = convert(object, apiVersion);
    return converted instanceof Promise ? converted.then(prune) : prune(converted);
  };
  return {
    kind,
    shown(stored) {
      const settled = settleStored(stored, schemas.get(stored.apiVersion));
      return settled.apiVersion === kind.apiVersion ? settled : convertTo(settled, kind.apiVersion);
    },
    stored(shown) {
      const apiVersion = `${group}/${storage?.name}`;
      return shown.apiVersion === apiVersion ? shown : convertTo(shown, apiVersion);
    },
  };
}

/** Returns the warning for clients of a deprecated version (`defaultDeprecationWarning`). */
function warningOf(
  { spec: { group, versions } }: CustomResourceDefinition,
  { name, deprecated, deprecationWarning }: CustomResourceDefinitionVersion,
  { kind }: Kind,
): string | undefined {
  if (deprecated !== true) return undefined;
  if (deprecationWarning !== undefined) return deprecationWarning;
  const [better] = versions
    .filter((one) => one.served && one.deprecated !== true && compareVersions(name, one.name) < 0)
    .map((one) => one.name)
    .toSorted((a, b) => compareVersions(b, a));
  const advice = better === undefined ? "" : `; use ${group}/${better} ${kind}`;
  return `${group}/${name} ${kind} is deprecated${advice}`;
}
