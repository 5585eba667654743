import type { Probe } from "../../api/core/pod/probe.ts";

/** The number of equal results in a row, and the settled result. */
export interface ProbeState {
  readonly settled: "unknown" | "success" | "failure";
  readonly last: "success" | "failure" | undefined;
  readonly run: number;
}

export const initialProbeState: ProbeState = { settled: "unknown", last: undefined, run: 0 };

/**
 * A result is settled once it has come as many times in a row as its threshold requires (kubelet
 * `prober/worker`).
 */
export function nextProbeState(state: ProbeState, succeeded: boolean, probe: Probe): ProbeState {
  const result = succeeded ? "success" : "failure";
  const run = state.last === result ? state.run + 1 : 1;
  const threshold = succeeded ? (probe.successThreshold ?? 1) : (probe.failureThreshold ?? 3);
  return { settled: run >= threshold ? result : state.settled, last: result, run };
}
