import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Stage } from "./subject.ts";
import { parseTranscript, type Transcript } from "./transcript.ts";

/** The versions of kubectl that upstream's answers were recorded with. */
export const versions = ["1.27", "1.28", "1.29", "1.31", "1.32", "1.33", "1.36"] as const;

export type Version = (typeof versions)[number];

export const stages = ["server", "cluster"] as const satisfies readonly Stage[];

export interface Theme {
  readonly name: string;
  readonly file: string;
  readonly transcript: Transcript;
}

/** Returns the transcripts in the folder of the stage's name, one theme for each file. */
export function themesOf(stage: Stage): readonly Theme[] {
  const folder = join(import.meta.dirname, stage);
  return readdirSync(folder)
    .filter((name) => name.endsWith(".txt"))
    .map((name) => {
      const file = join(folder, name);
      return { name: name.slice(0, -4), file, transcript: parseTranscript(readFileSync(file, "utf8")) };
    });
}
