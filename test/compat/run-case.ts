import { type Kubectl, Session } from "./session.ts";
import { addNamespace, type Stage, type Subject } from "./subject.ts";
import type { Answer, Case, Step } from "./transcript.ts";

export interface Place {
  readonly subject: Subject;
  readonly stage: Stage;
  readonly kubectl: Kubectl;
  /** A namespace that no other case uses. */
  readonly namespace: string;
}

/** Runs a case's commands in order, and yields each answer. */
export async function* runCase(
  { steps }: Case,
  { subject, stage, kubectl, namespace }: Place,
): AsyncGenerator<readonly [Step, Answer]> {
  await addNamespace(subject, stage, namespace);
  const session = new Session(kubectl, subject.config, namespace);
  try {
    for (const step of steps) yield [step, await session.run(step)];
  } finally {
    await session.dispose();
  }
}
