import { isObject } from "../../util/is-object.ts";
import { asRecord, strings, text } from "./image.ts";

/** The settings of an image that a build changes (image-spec `config.md`); others of the base are kept. */
export interface ImageSettings {
  readonly user: string;
  readonly workingDir: string;
  /** `NAME=value` each. */
  readonly env: readonly string[];
  /** Undefined: none. An empty one is as in a Dockerfile's `[]`. */
  readonly entrypoint: readonly string[] | undefined;
  readonly cmd: readonly string[] | undefined;
  /** `80/tcp` each. */
  readonly exposedPorts: readonly string[];
  readonly volumes: readonly string[];
  readonly labels: ReadonlyMap<string, string>;
  readonly stopSignal: string;
  /** The words before the command of a shell form; empty for `/bin/sh -c`. */
  readonly shell: readonly string[];
}

/** A step in an image's history. */
export interface HistoryEntry {
  readonly createdBy: string;
  /** The step made no layer. */
  readonly isEmpty: boolean;
}

/** An image's configuration, as a build continues it. */
export interface ImageDocument {
  readonly settings: ImageSettings;
  readonly diffIds: readonly string[];
  /** The entries of the base, unchanged, and of the build. */
  readonly history: readonly Readonly<Record<string, unknown>>[];
  /** The base's other fields. */
  readonly rest: Readonly<Record<string, unknown>>;
  readonly otherSettings: Readonly<Record<string, unknown>>;
  /** The commands that the base has for images built on it (ONBUILD). */
  readonly onBuild: readonly string[];
}

const emptySettings: ImageSettings = {
  user: "",
  workingDir: "",
  env: [],
  entrypoint: undefined,
  cmd: undefined,
  exposedPorts: [],
  volumes: [],
  labels: new Map(),
  stopSignal: "",
  shell: [],
};

/** The configuration of `scratch`. */
export const emptyDocument: ImageDocument = {
  settings: emptySettings,
  diffIds: [],
  history: [],
  rest: {},
  otherSettings: {},
  onBuild: [],
};

/** Parses an image's configuration. @throws Error when it is invalid */
export function parseDocument(json: string): ImageDocument {
  const { config, rootfs, history, created: _, ...rest } = asRecord(JSON.parse(json));
  const settings = asRecord(config ?? {});
  const {
    User,
    WorkingDir,
    Env,
    Entrypoint,
    Cmd,
    ExposedPorts,
    Volumes,
    Labels,
    StopSignal,
    Shell,
    ...more
  } = settings;
  const { OnBuild, Image: _image, ...otherSettings } = more;
  const diffIds = strings(asRecord(rootfs)["diff_ids"]);
  return {
    rest,
    otherSettings,
    diffIds,
    onBuild: strings(OnBuild),
    history: filled(Array.isArray(history) ? history.filter(isObject) : [], diffIds.length),
    settings: {
      user: text(User),
      workingDir: text(WorkingDir),
      env: strings(Env),
      entrypoint: wordsOf(Entrypoint),
      cmd: wordsOf(Cmd),
      exposedPorts: Object.keys(asRecord(ExposedPorts ?? {})),
      volumes: Object.keys(asRecord(Volumes ?? {})),
      labels: new Map(Object.entries(asRecord(Labels ?? {})).map(([name, value]) => [name, text(value)])),
      stopSignal: text(StopSignal),
      shell: strings(Shell),
    },
  };
}

function wordsOf(value: unknown): readonly string[] | undefined {
  const words = strings(value);
  return words.length === 0 ? undefined : words;
}

/** Returns a history that has an entry for each layer, as readers of images require. */
function filled(
  history: readonly Record<string, unknown>[],
  layers: number,
): readonly Record<string, unknown>[] {
  const described = history.filter((entry) => entry["empty_layer"] !== true).length;
  if (described > layers) return Array.from({ length: layers }, () => ({}));
  return [...history, ...Array.from({ length: layers - described }, () => ({}))];
}

/**
 * Writes a configuration with the fields in upstream's order. `created` is the time of SOURCE_DATE_EPOCH in seconds;
 * without it, no time is written, so that equal builds have equal digests.
 */
export function formatDocument(document: ImageDocument, created: number | undefined): string {
  const { settings, rest, otherSettings } = document;
  const time = created === undefined ? {} : { created: new Date(created * 1000).toISOString() };
  return JSON.stringify({
    ...time,
    architecture: process.arch === "x64" ? "amd64" : process.arch,
    os: "linux",
    ...rest,
    config: {
      ...otherSettings,
      ...present("User", settings.user),
      ...keys("ExposedPorts", settings.exposedPorts),
      ...present("Env", settings.env),
      ...present("Entrypoint", settings.entrypoint),
      ...present("Cmd", settings.cmd),
      ...keys("Volumes", settings.volumes),
      ...present("WorkingDir", settings.workingDir),
      ...(settings.labels.size === 0 ? {} : { Labels: sorted(settings.labels) }),
      ...present("StopSignal", settings.stopSignal),
      ...present("Shell", settings.shell),
    },
    rootfs: { type: "layers", diff_ids: document.diffIds },
    history: document.history,
  });
}

/** Returns a history's entry. */
export function historyEntry(
  { createdBy, isEmpty }: HistoryEntry,
  created: number | undefined,
): Readonly<Record<string, unknown>> {
  return {
    ...(created === undefined ? {} : { created: new Date(created * 1000).toISOString() }),
    created_by: createdBy,
    ...(isEmpty && { empty_layer: true }),
  };
}

function present(name: string, value: string | readonly string[] | undefined): Record<string, unknown> {
  return value === undefined || value.length === 0 ? {} : { [name]: value };
}

function keys(name: string, values: readonly string[]): Record<string, unknown> {
  return values.length === 0 ? {} : { [name]: sorted(new Map(values.map((value) => [value, {}]))) };
}

/** Makes an object with sorted keys, also of the key `__proto__`. */
function sorted(values: ReadonlyMap<string, unknown>): object {
  return Object.fromEntries([...values].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
