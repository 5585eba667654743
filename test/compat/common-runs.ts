/** A part of a text: a run of lines that `usual` has too, or one line that it does not have. */
export type Piece =
  | { readonly type: "shared"; readonly from: number; readonly to: number }
  | { readonly type: "own"; readonly line: string };

/** The shortest run that is worth a reference. */
const worthwhile = 4;

/** Describes `text` by the runs that it shares with `usual`. Indices are of lines, from 0; `to` is exclusive. */
export function commonRuns(usual: readonly string[], text: readonly string[]): readonly Piece[] {
  const pieces: Piece[] = [];
  let run: { from: number; to: number } | undefined;
  const close = () => {
    if (run !== undefined && run.to - run.from >= worthwhile) pieces.push({ type: "shared", ...run });
    else if (run !== undefined)
      for (const line of usual.slice(run.from, run.to)) pieces.push({ type: "own", line });
    run = undefined;
  };
  for (const [at, line] of aligned(usual, text)) {
    if (at !== undefined && run?.to === at) run.to++;
    else {
      close();
      if (at === undefined) pieces.push({ type: "own", line });
      else run = { from: at, to: at + 1 };
    }
  }
  close();
  return pieces;
}

/** Returns each line of `text` with the index of the same line in `usual`, by the longest common subsequence. */
function aligned(
  usual: readonly string[],
  text: readonly string[],
): readonly (readonly [number | undefined, string])[] {
  const lengths = Array.from({ length: text.length + 1 }, () => new Uint32Array(usual.length + 1));
  const at = (i: number, j: number) => lengths[i]?.[j] ?? 0;
  for (let i = text.length - 1; i >= 0; i--) {
    for (let j = usual.length - 1; j >= 0; j--) {
      const best = text[i] === usual[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
      lengths[i]?.fill(best, j, j + 1);
    }
  }
  let j = 0;
  return text.map((line, i) => {
    while (j < usual.length && line !== usual[j] && at(i, j + 1) >= at(i + 1, j)) j++;
    return line === usual[j] ? ([j++, line] as const) : ([undefined, line] as const);
  });
}
