import { replicaSets } from "../api/apps/replica-set/schema.ts";
import { statefulSets } from "../api/apps/stateful-set/schema.ts";
import { replicationControllers } from "../api/core/replication-controller/schema.ts";
import { services } from "../api/core/service/schema.ts";
import type { Client } from "../client/client.ts";
import { Informer } from "../client/informer.ts";
import type { Kind, KubeObject, ObjectOf } from "../meta/kind.ts";
import type { LabelSelector } from "../meta/v1.ts";
import type { Env } from "../util/env.ts";
import type { OwnerKind, Owners } from "./owners.ts";

/** An informer of any kind. */
export type Source = Pick<Informer<KubeObject>, "run" | "whenSynced">;

/** The informers that keep `owners` up to date. */
export function ownerSources(client: Client, env: Env, owners: Owners): readonly Source[] {
  const ofServices = new Informer(client.of(services), env, { name: "services" });
  ofServices.addHandler(({ type, object }) => {
    const { namespace = "", name = "" } = object.metadata;
    if (type === "deleted") owners.removeService(namespace, name);
    else owners.setService(object);
  });
  const ofKind = <K extends Kind>(
    kind: K,
    name: OwnerKind,
    selectorOf: (object: ObjectOf<K>) => LabelSelector | undefined,
  ) => {
    const informer = new Informer(client.of(kind), env, { name: kind.plural });
    informer.addHandler(({ type, object }) => {
      const { namespace = "", name: own = "" } = object.metadata;
      if (type === "deleted") owners.removeController(name, namespace, own);
      else owners.setController(name, namespace, own, selectorOf(object));
    });
    return informer;
  };
  return [
    ofServices,
    ofKind(replicaSets, "ReplicaSet", ({ spec }) => spec.selector),
    ofKind(statefulSets, "StatefulSet", ({ spec }) => spec.selector),
    ofKind(replicationControllers, "ReplicationController", ({ spec }) => ({
      matchLabels: spec.selector ?? {},
    })),
  ];
}
