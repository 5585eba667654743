import type { VirtualClock } from "../../util/virtual-clock.ts";
import type { Change, Revision, Store, StoreOptions } from "../store.ts";

/** Opens an empty store. Whoever opens it closes it. */
export type OpenStore = (options: StoreOptions) => Promise<Store>;

/** What each test of the suite gets. */
export interface Bench {
  /** A fresh one for each test. */
  readonly store: Store;
  readonly clock: VirtualClock;
  readonly open: OpenStore;
  /** Ends the watches of this test. */
  readonly stop: AbortController;
  /** Watches this test's store, from its beginning unless told otherwise. */
  readonly watch: (prefix: string, after?: Revision) => AsyncIterable<readonly Change[]>;
}
