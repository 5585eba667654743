import type { Store } from "../../store/store.ts";
import type { Env } from "../../util/env.ts";
import type { Authorizer } from "../authz/authorizer.ts";
import type { Codec } from "../resources/codec.ts";
import type { Reader } from "../resources/reader.ts";
import type { ResourceTable } from "../resources/served.ts";

/** The parts of the server that admission plugins use. */
export interface AdmissionServices {
  readonly env: Env;
  readonly store: Store;
  readonly codec: Codec;
  readonly reader: Reader;
  readonly resources: ResourceTable;
  readonly authorizer: Authorizer;
}
