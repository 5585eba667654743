import type { VirtualClock } from "../../util/virtual-clock.ts";
import type { Change, Revision, Store, StoreOptions } from "../store.ts";

/** Opens an empty store. The caller closes it. */
export type OpenStore = (options: StoreOptions) => Promise<Store>;

/** The context of each test of the suite. */
export interface Bench {
  /** A new one for each test. */
  readonly store: Store;
  readonly clock: VirtualClock;
  readonly open: OpenStore;
  /** Ends the watches of this test. */
  readonly stop: AbortController;
  /** Watches this test's store, by default from its beginning. */
  readonly watch: (prefix: string, after?: Revision) => AsyncIterable<readonly Change[]>;
}
