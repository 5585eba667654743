/** A test of a suite, by the name that the binary gives it. */
export interface KnownTest {
  readonly name: string;
  /** A key of the suite's groups. */
  readonly tier: string;
  /** The reason why the test does not pass. */
  readonly reason?: string;
}

/** A part of upstream's tests, and the files with its results. */
export interface Suite {
  /** The list of tests, beside this file. */
  readonly tests: string;
  /** The names of the tests that pass, beside this file, by the runtime of the nodes: `simulated` first. */
  readonly passing: Readonly<Record<string, string>>;
  /** The page that shows them, from the project's root. */
  readonly page: string;
  readonly title: string;
  readonly introduction: string;
  /** The subject of each tier, or the needs of its tests. */
  readonly tiers: Readonly<Record<string, string>>;
  /** The tiers that run without a choice. */
  readonly usual: readonly string[];
}

export const suites: ReadonlyMap<string, Suite> = new Map([
  [
    "conformance",
    {
      tests: "tests.json",
      passing: { simulated: "passing.json", native: "native-passing.json" },
      page: "docs/conformance.md",
      title: "Conformance",
      introduction:
        "Kubernetes v1.36's own conformance tests against `knarr up --runtime simulated` and, those of the tier `run`, against `knarr up --runtime native` with one node. Made by `npm run conformance -- --update`.",
      tiers: {
        api: "the API server",
        kcm: "and controllers",
        fake: "and scheduler and simulated nodes",
        run: "and real containers",
      },
      usual: ["api", "kcm", "fake"],
    },
  ],
  [
    "e2e",
    {
      tests: "e2e-tests.json",
      passing: { simulated: "e2e-passing.json" },
      page: "docs/e2e.md",
      title: "End-to-end tests",
      introduction:
        "Kubernetes v1.36's own end-to-end tests outside conformance, against `knarr up --runtime simulated`. Made by `npm run conformance -- --suite e2e --update`. Tests of features that upstream leaves off by default, and tests that log in to machines (`Disruptive`), are not among them.",
      tiers: {
        "sig-api-machinery": "the API server and its clients",
        "sig-apps": "controllers",
        "sig-scheduling": "the scheduler",
      },
      usual: ["sig-api-machinery", "sig-apps", "sig-scheduling"],
    },
  ],
  [
    "node",
    {
      tests: "node-tests.json",
      passing: { native: "node-passing.json" },
      page: "docs/node-conformance.md",
      title: "Node conformance",
      introduction:
        "The tests that Kubernetes v1.36 marks `NodeConformance` and not `Conformance`, against `knarr up --runtime native`. Made by `npm run conformance -- --suite node --runtime native --update`. Tests of features that upstream leaves off by default, and tests that need the node for themselves (`Serial`), are not among them.",
      tiers: {
        "sig-node": "Pods, containers, probes and leases",
        "sig-storage": "volumes",
      },
      usual: ["sig-node", "sig-storage"],
    },
  ],
]);
