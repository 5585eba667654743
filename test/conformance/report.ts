/** How one test ended. */
export interface Outcome {
  readonly name: string;
  /** Ginkgo's word: `passed`, `failed`, `panicked`, `timedout`, `interrupted` … */
  readonly state: string;
  /** The first line of what went wrong. */
  readonly message: string;
}

/** What a run's report says. */
export interface Report {
  /** How the tests ended that ran. */
  readonly outcomes: readonly Outcome[];
  /** The names of all tests that there are, chosen or not. */
  readonly names: ReadonlySet<string>;
}

interface SpecReport {
  readonly ContainerHierarchyTexts: readonly string[] | null;
  readonly LeafNodeType: string;
  readonly LeafNodeText: string;
  readonly State: string;
  readonly Failure?: { readonly Message: string };
}

/** Reads Ginkgo's JSON report; of the nodes of the suite itself only those that failed. */
export function readReport(report: unknown): Report {
  const suites = report as readonly { readonly SpecReports: readonly SpecReport[] | null }[];
  const specs = suites.flatMap(({ SpecReports }) => SpecReports ?? []);
  const outcomes = specs
    .filter(({ LeafNodeType, State }) => (LeafNodeType === "It" ? State !== "skipped" : State !== "passed"))
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
