/** How one test ended. */
export interface Outcome {
  readonly name: string;
  /** Ginkgo's word: `passed`, `failed`, `panicked`, `timedout`, `interrupted` … */
  readonly state: string;
  /** The first line of what went wrong. */
  readonly message: string;
}

interface SpecReport {
  readonly ContainerHierarchyTexts: readonly string[] | null;
  readonly LeafNodeType: string;
  readonly LeafNodeText: string;
  readonly State: string;
  readonly Failure?: { readonly Message: string };
}

/** Reads Ginkgo's JSON report: tests that ran, without the nodes of the suite itself. */
export function readReport(report: unknown): readonly Outcome[] {
  const suites = report as readonly { readonly SpecReports: readonly SpecReport[] | null }[];
  return suites
    .flatMap(({ SpecReports }) => SpecReports ?? [])
    .filter(({ LeafNodeType, State }) => (LeafNodeType === "It" ? State !== "skipped" : State !== "passed"))
    .filter(({ State }) => State !== "pending")
    .map(({ ContainerHierarchyTexts, LeafNodeType, LeafNodeText, State, Failure }) => ({
      name:
        LeafNodeType === "It" ? [...(ContainerHierarchyTexts ?? []), LeafNodeText].join(" ") : LeafNodeType,
      state: State,
      message: Failure?.Message.split("\n").slice(0, 3).join(" ").slice(0, 400) ?? "",
    }));
}
