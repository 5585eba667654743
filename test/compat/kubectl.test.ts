import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findKubectl } from "../find-kubectl.ts";
import { runCase } from "./run-case.ts";
import { Kubectl } from "./session.ts";
import { startKnarr, type Subject } from "./subject.ts";
import { type Answer, answerFor, formatStep, type Step } from "./transcript.ts";
import { stages, themesOf, type Version, versions } from "./transcripts.ts";

/**
 * The themes that run with all other tests, in half a minute: most themes once, by the version whose requests differ
 * most.
 */
const quick: Partial<Record<Version, readonly string[]>> = {
  // Older requests: bodies in JSON, patches computed from OpenAPI v2, descriptions by more requests.
  "1.27": ["apply", "change", "describe", "discovery", "scale"],
  // Newer requests: bodies in protobuf, lists by watching.
  "1.33": ["access", "apply-server-side", "create", "get", "node", "rollout", "workloads"],
};

const isWhole = process.env["KNARR_COMPAT"] === "all";
const isChosen = (version: Version, theme: string) => isWhole || quick[version]?.includes(theme) === true;

/** Returns a step as a transcript shows it, without the lines that may differ. */
function shown(step: Step, answer: Answer): string {
  const lines = formatStep({ ...step, answers: new Map([["", answer]]), differences: [] });
  const mayDiffer = (line: string) => step.differences.some(({ lines }) => lines?.test(line));
  return lines.filter((line) => !mayDiffer(line)).join("\n");
}

for (const version of versions.filter((one) => isWhole || quick[one] !== undefined)) {
  const program = findKubectl(version);
  if (program === undefined)
    process.stderr.write(`kubectl ${version} is not tested: it is not on this machine\n`);
  const chosen = stages
    .map((stage) => ({ stage, themes: themesOf(stage).filter(({ name }) => isChosen(version, name)) }))
    .filter(({ themes }) => themes.length > 0);
  const title = `kubectl ${version} with a $stage`;
  describe.skipIf(program === undefined).each(chosen)(title, ({ stage, themes }) => {
    const kubectl = new Kubectl(program ?? "kubectl");
    let subject: Subject;
    beforeAll(async () => {
      subject = await startKnarr(stage);
    });
    afterAll(async () => {
      await subject.stop();
      kubectl.dispose();
    });

    describe.each(themes)("$name", ({ name, transcript }) => {
      test.concurrent.each(transcript.cases)("$name", { timeout: 60_000 }, async (one) => {
        const namespace = `${name}-${transcript.cases.indexOf(one) + 1}`;
        const expected: string[] = [];
        const found: string[] = [];
        for await (const [step, answer] of runCase(one, { subject, stage, kubectl, namespace })) {
          const upstream = shown(step, answerFor(step, version));
          const ours = shown(step, answer);
          if (step.differences.some(({ lines }) => lines === undefined)) {
            expect(ours, "Knarr now answers as upstream: remove the mark").not.toBe(upstream);
          } else {
            expected.push(upstream);
            found.push(ours);
          }
        }
        expect(found.join("\n")).toBe(expected.join("\n"));
      });
    });
  });
}
