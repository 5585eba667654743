import type { Probe } from "../../api/core/pod/probe.ts";

/** How many results of the same kind came in a row, and what they have settled. */
export interface ProbeState {
  readonly settled: "unknown" | "success" | "failure";
  readonly last: "success" | "failure" | undefined;
  readonly run: number;
}

export const initialProbeState: ProbeState = { settled: "unknown", last: undefined, run: 0 };

/** A result counts once as many of its kind have come in a row as its threshold asks (kubelet `prober/worker`). */
export function nextProbeState(state: ProbeState, succeeded: boolean, probe: Probe): ProbeState {
  const result = succeeded ? "success" : "failure";
  const run = state.last === result ? state.run + 1 : 1;
  const threshold = succeeded ? (probe.successThreshold ?? 1) : (probe.failureThreshold ?? 3);
  return { settled: run >= threshold ? result : state.settled, last: result, run };
}
