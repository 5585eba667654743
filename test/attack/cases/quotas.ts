import { type Attack, Breach } from "../attack.ts";
import type { Target } from "../target.ts";

const namespaces = "/api/v1/namespaces";
/** Each run has a namespace of its own, because the last one may still be terminating. */
let runs = 0;

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);

/** The limits of a quota: on ConfigMaps, and on kinds that do not exist. */
function limits(amount: string, others: number): object {
  const names = upTo(others).map((index) => [`count/k${index}.example.com`, amount]);
  return { "count/configmaps": amount, ...Object.fromEntries(names) };
}

/** Makes a quota and records no usage, as the controller does. */
async function addQuota(
  { send }: Target,
  namespace: string,
  name: string,
  amount: string,
  others = 0,
): Promise<void> {
  const quotas = `${namespace}/resourcequotas`;
  const hard = limits(amount, others);
  const quota = { metadata: { name }, spec: { hard } };
  await send("admin", "POST", quotas, { body: JSON.stringify(quota) });
  const status = { ...quota, status: { hard, used: limits("0", others) } };
  await send("admin", "PUT", `${quotas}/${name}/status`, { body: JSON.stringify(status) });
}

/** Creates ConfigMaps at the same time. Returns the number of those that were accepted. */
async function fill({ send }: Target, namespace: string, count: number): Promise<number> {
  const answers = await Promise.all(
    upTo(count).map((index) =>
      send("admin", "POST", `${namespace}/configmaps`, {
        body: JSON.stringify({ metadata: { name: `m${index}` } }),
      }),
    ),
  );
  return answers.filter((answer) => answer?.code === 201).length;
}

/** Attacks on the admission of objects by quotas. */
export const quotaAttacks: readonly Attack[] = [
  {
    name: "many and large quotas in a namespace do not stall its creates, and racing creates exceed none",
    async run(target) {
      const name = `limited-${++runs}`;
      const namespace = `${namespaces}/${name}`;
      await target.send("admin", "POST", namespaces, { body: JSON.stringify({ metadata: { name } }) });
      for (const index of upTo(100)) await addQuota(target, namespace, `small-${index}`, "100");
      for (const index of upTo(10)) await addQuota(target, namespace, `large-${index}`, "50", 1_000);
      const accepted = await fill(target, namespace, 80);
      if (accepted > 50) throw new Breach(`${accepted} objects were accepted beyond a quota of 50`);
      if (accepted === 0) throw new Breach("Cannot carry out the attack: no object was accepted");
      await target.send("admin", "DELETE", namespace);
    },
  },
];
