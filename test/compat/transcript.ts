import { commonRuns } from "./common-runs.ts";

/** The masked output of one command, and its exit code. */
export interface Answer {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
}

/** An allowed difference between Knarr and upstream. */
export interface Difference {
  /** The lines that differ; undefined when the whole answer differs. */
  readonly lines: RegExp | undefined;
  readonly reason: string;
}

export interface Step {
  readonly command: string;
  readonly input: string;
  readonly differences: readonly Difference[];
  /** The answers by version of kubectl; the empty version stands for all versions that are not named. */
  readonly answers: ReadonlyMap<string, Answer>;
}

export interface Case {
  readonly name: string;
  readonly comments: readonly string[];
  readonly steps: readonly Step[];
}

export interface Transcript {
  readonly comments: readonly string[];
  readonly cases: readonly Case[];
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };
type OpenStep = Omit<Writable<Step>, "differences" | "answers"> & {
  readonly differences: Difference[];
  readonly answers: Map<string, Writable<Answer>>;
};

/** Reads one line at a time into the open element: the file, a case, a step or an answer. */
class Reader {
  readonly comments: string[] = [];
  readonly cases: { readonly name: string; readonly comments: string[]; readonly steps: OpenStep[] }[] = [];
  #versions: readonly string[] = [""];

  take(line: string): void {
    const mark = line.slice(0, 1);
    const text = line.slice(2);
    const open = this.cases.at(-1);
    switch (mark) {
      case "":
        return;
      case "#":
        (open?.comments ?? this.comments).push(text);
        return;
      case "=":
        this.cases.push({ name: line.slice(3), comments: [], steps: [] });
        return;
      case "$":
        this.#versions = [""];
        open?.steps.push({ command: text, input: "", differences: [], answers: new Map() });
        return;
    }
    const step = open?.steps.at(-1);
    if (step === undefined) throw new SyntaxError(`Cannot read a transcript: ${line} follows no command`);
    this.#takeOfStep(step, mark, text);
  }

  #takeOfStep(step: OpenStep, mark: string, text: string): void {
    const answers = () =>
      this.#versions.map((version) => {
        const answer = step.answers.get(version) ?? { stdout: "", stderr: "", code: 0 };
        step.answers.set(version, answer);
        return answer;
      });
    if (mark === "<") step.input += `${text}\n`;
    else if (mark === "~") step.differences.push(differenceOf(text));
    else if (mark === "@") this.#versions = text.split(" ");
    else if (mark === "&") for (const answer of answers()) answer.stdout += linesOfUsual(step, text);
    else if (mark === "|") for (const answer of answers()) answer.stdout += `${text}\n`;
    else if (mark === "!") for (const answer of answers()) answer.stderr += `${text}\n`;
    else if (mark === "?") for (const answer of answers()) answer.code = Number(text);
    else throw new SyntaxError(`Cannot read a transcript: a line begins with ${JSON.stringify(mark)}`);
    if (mark === "@") answers();
  }
}

/** Returns lines of the most common output, from 1, the last included. */
function linesOfUsual({ answers }: OpenStep, range: string): string {
  const [first = 1, last] = range.split("-").map(Number);
  const lines = linesOf(answers.get("")?.stdout ?? "").slice(first - 1, last);
  return `${lines.join("\n")}\n`;
}

function differenceOf(text: string): Difference {
  const [, lines, reason] = /^\/(.*)\/ (.*)$/.exec(text) ?? [];
  return { lines: lines === undefined ? undefined : new RegExp(lines), reason: reason ?? text };
}

/** Parses the text that `formatTranscript` writes; the README describes the format. @throws SyntaxError */
export function parseTranscript(text: string): Transcript {
  const reader = new Reader();
  for (const line of text.split("\n")) reader.take(line);
  return reader;
}

export function formatTranscript({ comments, cases }: Transcript): string {
  const blocks = cases.map(({ name, comments, steps }) => [
    "",
    `== ${name}`,
    ...marked("#", comments),
    "",
    ...steps.flatMap(formatStep),
  ]);
  return `${[...marked("#", comments), ...blocks.flat()].join("\n")}\n`;
}

/** The lines of a command and its answers. */
export function formatStep({ command, input, differences, answers }: Step): readonly string[] {
  const differing = differences.map(({ lines, reason }) =>
    lines === undefined ? reason : `/${lines.source}/ ${reason}`,
  );
  return [
    `$ ${command}`,
    ...marked("<", linesOf(input)),
    ...marked("~", differing),
    ...grouped(answers).flatMap(({ versions, answer }) => [
      ...(versions.includes("") ? [] : [`@ ${versions.join(" ")}`]),
      ...(versions.includes("") ? marked("|", linesOf(answer.stdout)) : formatUnusual(answers, answer)),
      ...marked("!", linesOf(answer.stderr)),
      ...(answer.code === 0 ? [] : [`? ${answer.code}`]),
    ]),
  ];
}

function formatUnusual(answers: Step["answers"], { stdout }: Answer): readonly string[] {
  const usual = answers.get("")?.stdout ?? "";
  return commonRuns(linesOf(usual), linesOf(stdout)).flatMap((piece) =>
    piece.type === "own" ? marked("|", [piece.line]) : [`& ${piece.from + 1}-${piece.to}`],
  );
}

/** Groups versions with the same answer; the most common answer is first. */
function grouped(answers: Step["answers"]) {
  const groups = Object.values(
    Object.groupBy([...answers], ([, answer]) => JSON.stringify([answer.stdout, answer.stderr, answer.code])),
  );
  return groups
    .flatMap((group = []) => {
      const [first] = group;
      return first === undefined ? [] : [{ versions: group.map(([version]) => version), answer: first[1] }];
    })
    .sort((a, b) => Number(b.versions.includes("")) - Number(a.versions.includes("")));
}

function marked(mark: string, lines: readonly string[]): readonly string[] {
  return lines.map((line) => (line === "" ? mark : `${mark} ${line}`));
}

function linesOf(text: string): readonly string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

/** The answer of a command without output. */
export const silence: Answer = { stdout: "", stderr: "", code: 0 };

/** Returns upstream's answer to this version of kubectl. */
export function answerFor({ answers }: Step, version: string): Answer {
  return answers.get(version) ?? answers.get("") ?? silence;
}
