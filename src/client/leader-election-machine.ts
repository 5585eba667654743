/**
 * A candidate's part in a leader election, as a pure state machine (client-go `tools/leaderelection`).
 *
 * Invariants:
 * 1. In every phase but `ended`, exactly one request or one wait is under way.
 * 2. `lead` follows the candidate's first write that succeeds, and nothing else.
 * 3. The end of a leader always has `release`; the end of a follower never has.
 * 4. A Lease that another candidate holds is not written.
 * 5. A leader ends at its deadline or when it is stopped; a renewal that fails is tried again until then.
 */
export interface ElectionState {
  readonly phase: ElectionPhase;
  /** True from the first successful write on. */
  readonly leading: boolean;
}

export type ElectionPhase =
  /** The wait until the next try. */
  | "waiting"
  /** A GET of the Lease is under way. */
  | "reading"
  /** The Lease that was just read, or a new one, is being written. */
  | "acquiring"
  /** The candidate's own Lease is being written as last seen, without a GET before. */
  | "renewing"
  | "ended";

export type ElectionEvent =
  /** The wait is over. */
  | "retry"
  /** The wait is over, and the Lease as last seen is the candidate's own and has not expired. */
  | "renew"
  /** The Lease does not exist. */
  | "absent"
  /** The Lease that was read has no holder or has expired, or is the candidate's own. */
  | "free"
  /** Another candidate holds the Lease that was read. */
  | "held"
  /** The write succeeded. */
  | "written"
  /** Another candidate wrote first, or deleted the Lease. */
  | "conflict"
  | "failed"
  /** The leader has not renewed before its deadline. */
  | "deadline"
  /** The candidate shall end, or the leader's work has ended. */
  | "stop";

export type ElectionAction = "wait" | "get" | "create" | "update" | "lead" | "release";

export interface ElectionStep {
  readonly state: ElectionState;
  readonly actions: readonly ElectionAction[];
}

type Cell = (leading: boolean) => ElectionStep;
type Table = { readonly [P in ElectionPhase]: { readonly [E in ElectionEvent]: Cell } };

/** The first step of every candidate: it reads the Lease. */
export const startElection: ElectionStep = {
  state: { phase: "reading", leading: false },
  actions: ["get"],
};

/** Returns the next state, and the candidate's actions in their order. */
export function stepElection({ phase, leading }: ElectionState, event: ElectionEvent): ElectionStep {
  return table[phase][event](leading);
}

function go(phase: ElectionPhase, ...actions: readonly ElectionAction[]): Cell {
  return (leading) => ({ state: { phase, leading }, actions });
}

const wait = go("waiting", "wait");
const read = go("reading", "get");
const create = go("acquiring", "create");
const update = go("acquiring", "update");
const renew = go("renewing", "update");

const hold: Cell = (leading) => ({
  state: { phase: "waiting", leading: true },
  actions: leading ? ["wait"] : ["lead", "wait"],
});

const end: Cell = (leading) => ({
  state: { phase: "ended", leading: false },
  actions: leading ? ["release"] : [],
});

/** Ignores an event that cannot occur in a phase. Followers have no deadline. */
const table: Table = {
  waiting: {
    retry: read,
    renew,
    absent: go("waiting"),
    free: go("waiting"),
    held: go("waiting"),
    written: go("waiting"),
    conflict: go("waiting"),
    failed: go("waiting"),
    deadline: endLeader("waiting"),
    stop: end,
  },
  reading: {
    retry: go("reading"),
    renew: go("reading"),
    absent: create,
    free: update,
    held: wait,
    written: go("reading"),
    conflict: wait,
    failed: wait,
    deadline: endLeader("reading"),
    stop: end,
  },
  acquiring: {
    retry: go("acquiring"),
    renew: go("acquiring"),
    absent: go("acquiring"),
    free: go("acquiring"),
    held: go("acquiring"),
    written: hold,
    conflict: wait,
    failed: wait,
    deadline: endLeader("acquiring"),
    stop: end,
  },
  renewing: {
    retry: go("renewing"),
    renew: go("renewing"),
    absent: go("renewing"),
    free: go("renewing"),
    held: go("renewing"),
    written: hold,
    conflict: read,
    failed: wait,
    deadline: endLeader("renewing"),
    stop: end,
  },
  ended: {
    retry: go("ended"),
    renew: go("ended"),
    absent: go("ended"),
    free: go("ended"),
    held: go("ended"),
    written: go("ended"),
    conflict: go("ended"),
    failed: go("ended"),
    deadline: go("ended"),
    stop: go("ended"),
  },
};

function endLeader(phase: ElectionPhase): Cell {
  return (leading) => (leading ? end : go(phase))(leading);
}
