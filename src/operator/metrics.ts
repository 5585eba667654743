/** How one reconciliation ended. */
export type ReconcileOutcome = "success" | "requeue_after" | "error" | "terminal_error";

/** Told by a manager of what it does; whoever keeps metrics implements it. */
export interface ManagerMetrics {
  reconciled?(controller: string, outcome: ReconcileOutcome, durationMs: number): void;
  /** How many keys wait, seen whenever a worker takes one. */
  queueDepth?(controller: string, depth: number): void;
}
