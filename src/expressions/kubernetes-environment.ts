import type { Library } from "../cel/declarations.ts";
import { addresses } from "../cel/libraries/addresses.ts";
import { authorization } from "../cel/libraries/authorization.ts";
import { listTransformations } from "../cel/libraries/list-transformations.ts";
import { lists } from "../cel/libraries/lists.ts";
import { namedFormats } from "../cel/libraries/named-formats.ts";
import { optionals } from "../cel/libraries/optionals.ts";
import { patterns } from "../cel/libraries/patterns.ts";
import { quantities } from "../cel/libraries/quantities.ts";
import { sets } from "../cel/libraries/sets.ts";
import { stringFunctions } from "../cel/libraries/strings.ts";
import { twoVariables } from "../cel/libraries/two-variables.ts";
import { urls } from "../cel/libraries/urls.ts";
import { versions } from "../cel/libraries/versions.ts";
import { standardLibrary } from "../cel/standard/library.ts";
import { labelProblems, subdomainProblems } from "../meta/validation/dns.ts";
import { amounts } from "./amounts.ts";
import { kubernetesFormats } from "./named-formats.ts";
import { urlReader } from "./url-reader.ts";

const names = {
  isServiceAccount: (name: string) => subdomainProblems(name).length === 0,
  isNamespace: (name: string) => labelProblems(name).length === 0,
};

/**
 * The CEL libraries of every expression in Kubernetes' objects, in upstream's order
 * (`k8s.io/apiserver/pkg/cel/environment/base.go`).
 */
export const kubernetesLibraries: readonly Library[] = [
  standardLibrary,
  urls(urlReader),
  patterns,
  lists,
  authorization(names),
  optionals,
  quantities(amounts),
  stringFunctions,
  sets,
  addresses,
  namedFormats(kubernetesFormats),
  twoVariables,
  versions,
  listTransformations,
];
