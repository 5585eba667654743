import type { Library } from "../../cel/declarations.ts";
import { addresses } from "../../cel/libraries/addresses.ts";
import { listTransformations } from "../../cel/libraries/list-transformations.ts";
import { lists } from "../../cel/libraries/lists.ts";
import { optionals } from "../../cel/libraries/optionals.ts";
import { patterns } from "../../cel/libraries/patterns.ts";
import { sets } from "../../cel/libraries/sets.ts";
import { stringFunctions } from "../../cel/libraries/strings.ts";
import { twoVariables } from "../../cel/libraries/two-variables.ts";
import { standardLibrary } from "../../cel/standard/library.ts";

/**
 * What every expression in Kubernetes' objects may use, in upstream's order
 * (`k8s.io/apiserver/pkg/cel/environment/base.go`).
 */
export const kubernetesLibraries: readonly Library[] = [
  standardLibrary,
  patterns,
  lists,
  optionals,
  stringFunctions,
  sets,
  addresses,
  twoVariables,
  listTransformations,
];
