import type { CustomResourceDefinitionVersion } from "../../api/apiextensions/custom-resource-definition/schema.ts";
import { Correlation } from "../../api/apiextensions/values/correlation.ts";
import { validateEmbedded } from "../../api/apiextensions/values/embedded.ts";
import { validateValue } from "../../api/apiextensions/values/validate.ts";
import { type FieldError, root } from "../../meta/field-error.ts";
import { parseJsonPath } from "../../meta/json-path/json-path.ts";
import type { Kind, KubeObject } from "../../meta/kind.ts";
import type { Strategy } from "../../meta/strategy.ts";
import { columnsOf, text } from "./columns.ts";
import { finalizerWarnings } from "./finalizer-warnings.ts";
import { withoutDot } from "./kind.ts";
import { ObjectRules } from "./rules/object-rules.ts";
import { validateLists } from "./validate-lists.ts";
import { validateScaleSpec, validateScaleStatus } from "./validate-scale.ts";

type Object = KubeObject<{ readonly status?: unknown }>;

/**
 * Returns the strategy of custom resources of one version (apiextensions-apiserver
 * `registry/customresource`).
 */
export function strategyOf(kind: Kind, version: CustomResourceDefinitionVersion): Strategy<KubeObject> {
  const schema = version.schema?.openAPIV3Schema ?? {};
  const statusSchema = schema.properties?.["status"];
  const rules = new ObjectRules(schema);
  const strategy: Strategy<Object> = {
    *validateCreate(object) {
      const found = [...validateWhole(object, undefined), ...listsOf(object)];
      yield* found;
      yield* rules.validate(object, undefined, undefined, found);
    },
    *validateUpdate(object, old) {
      const correlation = new Correlation(schema, object, old);
      const found = [...validateWhole(object, correlation), ...newIn(old, object, listsOf)];
      yield* found;
      yield* rules.validate(object, old, correlation, found);
    },
    warnings: finalizerWarnings,
    generation: true,
    allowUnconditionalUpdate: false,
    parts: {
      status: {
        keepsMetadata: "all",
        *validate(object, old) {
          const correlation = new Correlation(schema, object, old);
          const found = [
            ...validateStatus(object, correlation.key("status")),
            ...newIn(old, object, listsOf),
          ];
          yield* found;
          yield* rules.validate(object, old, correlation, found);
        },
      },
    },
    columns: columnsOf(version.additionalPrinterColumns),
    selectableFields: selectableFieldsOf(version),
  };
  function* validateWhole(object: Object, correlation: Correlation | undefined): Generator<FieldError> {
    yield* validateValue(schema, object, root, { checksIntOrString: true, correlation });
    yield* validateScaleSpec(object, kind.scale);
    yield* validateScaleStatus(object, kind.scale);
    yield* validateEmbedded(object, schema, root);
  }
  function* validateStatus(object: Object, correlation: Correlation | undefined): Generator<FieldError> {
    if (statusSchema !== undefined && Object.hasOwn(object, "status")) {
      const mode = { checksIntOrString: true, correlation };
      yield* validateValue(statusSchema, object.status, root.child("status"), mode);
    }
    yield* validateScaleStatus(object, kind.scale);
  }
  function listsOf(object: Object): Iterable<FieldError> {
    return validateLists(object, schema, root);
  }
  return strategy;
}

/** Yields no errors for an object whose old version had errors too. */
function* newIn<T>(old: T, object: T, validate: (one: T) => Iterable<FieldError>): Generator<FieldError> {
  const found = [...validate(object)];
  if (found.length > 0 && [...validate(old)].length === 0) yield* found;
}

function selectableFieldsOf({ selectableFields = [] }: CustomResourceDefinitionVersion) {
  return Object.fromEntries(
    selectableFields.map(({ jsonPath }) => {
      const path = parseJsonPath(jsonPath);
      const valueOf = (object: KubeObject) => {
        const [value] = path(object);
        return value === undefined || value === null ? "" : text(value);
      };
      return [withoutDot(jsonPath), valueOf];
    }),
  );
}
