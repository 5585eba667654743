import { afterEach, beforeEach, describe } from "vitest";
import { VirtualClock } from "../util/virtual-clock.ts";
import { noRevision } from "./revision.ts";
import type { Store } from "./store.ts";
import type { Bench, OpenStore } from "./suite/bench.suite.ts";
import { commitSuite } from "./suite/commits.suite.ts";
import { historySuite } from "./suite/history.suite.ts";
import { lifeSuite } from "./suite/life.suite.ts";
import { listSuite } from "./suite/lists.suite.ts";
import { modelSuite } from "./suite/model.suite.ts";
import { watchSuite } from "./suite/watches.suite.ts";

/** Tests everything that every implementation of `Store` must do. */
export function storeSuite(name: string, open: OpenStore): void {
  describe(name, () => {
    const clock = new VirtualClock();
    let store: Store;
    let stop: AbortController;
    beforeEach(async () => {
      store = await open({ clock });
      stop = new AbortController();
    });
    afterEach(async () => {
      stop.abort();
      await store.close();
    });
    const bench: Bench = {
      get store() {
        return store;
      },
      get stop() {
        return stop;
      },
      clock,
      open,
      watch: (prefix, after = noRevision) => store.watch(prefix, after, stop.signal),
    };

    for (const suite of [commitSuite, listSuite, historySuite, watchSuite, lifeSuite, modelSuite])
      suite(bench);
  });
}
