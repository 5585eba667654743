/** The number of a container's probes with one result. */
export interface ProbeCount {
  readonly namespace: string;
  readonly pod: string;
  readonly podUid: string;
  readonly container: string;
  readonly type: "Liveness" | "Readiness" | "Startup";
  readonly result: "successful" | "failed";
  readonly count: number;
}
