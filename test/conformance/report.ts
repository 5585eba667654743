/** The result of one test. */
export interface Outcome {
  readonly name: string;
  /** Ginkgo's state: `passed`, `failed`, `panicked`, `timedout`, `interrupted` … */
  readonly state: string;
  /** The first line of the failure. */
  readonly message: string;
}

/** The content of a run's report. */
export interface Report {
  /** The results of the tests that ran. */
  readonly outcomes: readonly Outcome[];
  /** The names of all existing tests, chosen or not. */
  readonly names: ReadonlySet<string>;
}

interface SpecReport {
  readonly ContainerHierarchyTexts: readonly string[] | null;
  readonly LeafNodeType: string;
  readonly LeafNodeText: string;
  readonly State: string;
  readonly Failure?: { readonly Message: string };
}

/**
 * Reads Ginkgo's JSON report. Of the suite's own nodes, only failed ones are kept. A test that skips itself has a
 * message; one that was not chosen has none.
 */
export function readReport(report: unknown): Report {
  const suites = report as readonly { readonly SpecReports: readonly SpecReport[] | null }[];
  const specs = suites.flatMap(({ SpecReports }) => SpecReports ?? []);
  const outcomes = specs
    .filter(({ LeafNodeType, State, Failure }) =>
      LeafNodeType === "It" ? State !== "skipped" || Failure !== undefined : State !== "passed",
    )
    .filter(({ State }) => State !== "pending")
    .map((spec) => ({
      name: spec.LeafNodeType === "It" ? nameOf(spec) : spec.LeafNodeType,
      state: spec.State,
      message: spec.Failure?.Message.split("\n").slice(0, 3).join(" ").slice(0, 400) ?? "",
    }));
  return { outcomes, names: new Set(specs.map(nameOf)) };
}

function nameOf({ ContainerHierarchyTexts, LeafNodeText }: SpecReport): string {
  return [...(ContainerHierarchyTexts ?? []), LeafNodeText].join(" ");
}
