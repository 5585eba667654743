import {
  type PersistentVolumeClaim,
  persistentVolumeClaims,
} from "../../api/core/persistent-volume-claim/schema.ts";
import { type PersistentVolume, persistentVolumes } from "../../api/core/persistent-volume/schema.ts";
import { build } from "../builders.suite.ts";

const modes = ["ReadWriteOnce", "ReadOnlyMany"];
const policies = ["Delete", "Recycle"];

interface Words {
  readonly plain: readonly string[];
  readonly value: (key: string) => string | undefined;
  readonly annotations: object | undefined;
}

function wordsOf(text: readonly string[]): Words {
  const values = new Map(
    text.flatMap((word) => {
      const [key = "", value] = word.split("=");
      return value === undefined ? [] : [[key, value] as const];
    }),
  );
  const marks = text.flatMap((word) => (word.startsWith("+") ? [word.slice(1)] : []));
  const node = values.get("node");
  const annotations = {
    ...Object.fromEntries(marks.map((mark) => [`pv.kubernetes.io/${mark}`, "yes"])),
    ...(node === undefined ? {} : { "volume.kubernetes.io/selected-node": node }),
  };
  return {
    plain: text,
    value: (key) => values.get(key),
    annotations: Object.keys(annotations).length === 0 ? undefined : annotations,
  };
}

/** A volume from a line of `upstreamCases`. */
export function volumeFrom(line: string): PersistentVolume {
  const [name, storage, phase, ...rest] = line.split(" ");
  const { plain, value, annotations } = wordsOf(rest);
  const [claim, uid] = value("for")?.split("/") ?? [];
  const claimRef = {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    namespace: "default",
    name: claim,
    uid,
  };
  return build(persistentVolumes, {
    metadata: {
      name,
      uid: `uid-${name}`,
      annotations,
      labels: plain.includes("labelled") ? { foo: "true" } : undefined,
    },
    spec: {
      capacity: { storage },
      accessModes: modes,
      persistentVolumeReclaimPolicy: policies.find((one) => plain.includes(one)) ?? "Retain",
      gcePersistentDisk: { pdName: "disk" },
      storageClassName: value("class"),
      volumeAttributesClassName: value("attributes"),
      volumeMode: plain.includes("Block") ? "Block" : "Filesystem",
      claimRef: claim === undefined ? undefined : claimRef,
    },
    status: { phase: phase === "NoPhase" ? "" : phase },
  });
}

/** A claim from a line of `upstreamCases`. */
export function claimFrom(line: string): PersistentVolumeClaim {
  const [id = "", storage, phase, ...rest] = line.split(" ");
  const [name, uid] = id.split("/");
  const { plain, value, annotations } = wordsOf(rest);
  const accessModes = plain.includes("RWX") ? ["ReadWriteMany"] : modes;
  const capacity = { storage: value("capacity") ?? storage };
  const bound = { accessModes, capacity, currentVolumeAttributesClassName: value("current") };
  return build(persistentVolumeClaims, {
    metadata: { name, namespace: "default", uid, annotations },
    spec: {
      accessModes,
      resources: { requests: { storage } },
      volumeName: value("volume"),
      storageClassName: value("class"),
      volumeAttributesClassName: value("attributes"),
      volumeMode: plain.includes("Block") ? "Block" : "Filesystem",
      selector: plain.includes("selecting") ? { matchLabels: { foo: "true" } } : undefined,
    },
    status: { phase, ...(phase === "Bound" ? bound : {}) },
  });
}
