import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { findKubectl } from "../find-kubectl.ts";
import { startUpstream } from "./upstream.ts";
import { runCase } from "./run-case.ts";
import { Kubectl } from "./session.ts";
import type { Stage, Subject } from "./subject.ts";
import { type Answer, type Case, formatTranscript, type Step, type Transcript } from "./transcript.ts";
import { stages, type Theme, themesOf, versions } from "./transcripts.ts";

/** Runs the transcripts' commands against upstream and writes the output into the transcripts; see README.md. */
const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    etcd: { type: "string" },
    "kube-apiserver": { type: "string" },
    "kube-controller-manager": { type: "string" },
    "kube-scheduler": { type: "string" },
  },
});
const { etcd, "kube-apiserver": kubeApiserver } = flags;
if (etcd === undefined || kubeApiserver === undefined)
  throw new TypeError("Cannot record: --etcd and --kube-apiserver must say where the two programs are");
const programs = {
  etcd,
  kubeApiserver,
  kubeControllerManager: flags["kube-controller-manager"],
  kubeScheduler: flags["kube-scheduler"],
};

/** The output of each version, by step. */
type Answers = Map<Step, Map<string, Answer>>;

const atOnce = 4;

async function ask(version: string, stage: Stage, subject: Subject, themes: readonly Theme[], into: Answers) {
  const program = findKubectl(version);
  if (program === undefined) throw new Error(`Cannot record: kubectl ${version} is not on this machine`);
  const kubectl = new Kubectl(program);
  const work = themes.flatMap(({ name, transcript }) =>
    transcript.cases.map((one, index) => ({ one, namespace: `${name}-${index + 1}` })),
  );
  const worker = async () => {
    for (let next = work.shift(); next !== undefined; next = work.shift()) {
      const { one, namespace } = next;
      for await (const [step, answer] of runCase(one, { subject, stage, kubectl, namespace })) {
        const answers = into.get(step) ?? new Map<string, Answer>();
        into.set(step, answers.set(version, answer));
        if (answer.code < 0) process.stderr.write(`hangs: ${step.command}\n`);
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  kubectl.dispose();
}

/** Records the newest version's answer for all versions with the same answer. */
function withAnswers(transcript: Transcript, answers: Answers): Transcript {
  const newest = versions.at(-1) ?? "";
  const recorded = (step: Step): Step => {
    const found = answers.get(step) ?? new Map<string, Answer>();
    const usual = found.get(newest);
    const text = JSON.stringify(usual);
    const others = [...found].filter(([, answer]) => JSON.stringify(answer) !== text);
    return { ...step, answers: new Map([...(usual === undefined ? [] : [["", usual] as const]), ...others]) };
  };
  return {
    ...transcript,
    cases: transcript.cases.map((one): Case => ({ ...one, steps: one.steps.map(recorded) })),
  };
}

for (const stage of stages) {
  const themes = themesOf(stage).filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  if (themes.length === 0) continue;
  const answers: Answers = new Map();
  for (const version of versions) {
    process.stderr.write(`${stage}: kubectl ${version} …\n`);
    const subject = await startUpstream(stage, programs);
    try {
      await ask(version, stage, subject, themes, answers);
    } finally {
      await subject.stop();
    }
  }
  for (const { file, transcript } of themes)
    writeFileSync(file, formatTranscript(withAnswers(transcript, answers)));
}
