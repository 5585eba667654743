/** An Event about the autoscaler. */
export interface EventDraft {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}
