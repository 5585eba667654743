import { readFile, statfs } from "node:fs/promises";
import { availableParallelism } from "node:os";

/** The counters of one network interface. */
export interface InterfaceReadings {
  readonly name: string;
  readonly rxBytes: number;
  readonly rxErrors: number;
  readonly txBytes: number;
  readonly txErrors: number;
}

export interface FileSystemReadings {
  readonly availableBytes: number;
  readonly capacityBytes: number;
  readonly usedBytes: number;
  readonly inodesFree: number;
  readonly inodes: number;
  readonly inodesUsed: number;
}

/** The counters of the machine. Whatever the kernel does not show is undefined. */
export interface MachineReadings {
  readonly cpuCores: number;
  /** Milliseconds since the epoch. */
  readonly bootedAt: number | undefined;
  readonly memoryBytes: number | undefined;
  readonly availableBytes: number | undefined;
  readonly swap: { readonly availableBytes: number; readonly usageBytes: number } | undefined;
  readonly interfaces: readonly InterfaceReadings[];
  /** The name of the interface with the default route. */
  readonly defaultInterface: string | undefined;
  readonly fs: FileSystemReadings | undefined;
  readonly maxPid: number | undefined;
  readonly processes: number | undefined;
}

/** Reads the machine's counters. `directory` is on the file system of the node's containers. */
export async function readMachine(directory: string): Promise<MachineReadings> {
  const paths = ["stat", "meminfo", "net/dev", "net/route", "sys/kernel/pid_max", "loadavg"];
  const [stat = "", meminfo = "", dev = "", route = "", pidMax = "", loadavg = ""] = await Promise.all(
    paths.map((path) => readFile(`/proc/${path}`, "utf8").catch(() => "")),
  );
  const booted = numberOf(/^btime (\d+)$/m.exec(stat)?.[1]);
  return {
    cpuCores: availableParallelism(),
    bootedAt: booted === undefined ? undefined : booted * 1000,
    ...parseMemory(meminfo),
    interfaces: parseInterfaces(dev),
    defaultInterface: defaultInterface(route),
    fs: await readFileSystem(directory),
    maxPid: numberOf(/^\d+/.exec(pidMax)?.[0]),
    processes: numberOf(/ \d+\/(\d+) /.exec(loadavg)?.[1]),
  };
}

async function readFileSystem(directory: string): Promise<FileSystemReadings | undefined> {
  const found = await statfs(directory).catch(() => undefined);
  if (found === undefined) return undefined;
  const { bsize, blocks, bfree, bavail, files, ffree } = found;
  return {
    availableBytes: bavail * bsize,
    capacityBytes: blocks * bsize,
    usedBytes: (blocks - bfree) * bsize,
    inodesFree: ffree,
    inodes: files,
    inodesUsed: files - ffree,
  };
}

/** Parses /proc/meminfo. A machine without swap has none to report. */
export function parseMemory(text: string): Pick<MachineReadings, "memoryBytes" | "availableBytes" | "swap"> {
  const bytes = (name: string) => {
    const kibibytes = numberOf(new RegExp(`^${name}: +(\\d+) kB$`, "m").exec(text)?.[1]);
    return kibibytes === undefined ? undefined : kibibytes * 1024;
  };
  const [total = 0, free = 0] = [bytes("SwapTotal"), bytes("SwapFree")];
  return {
    memoryBytes: bytes("MemTotal"),
    availableBytes: bytes("MemAvailable"),
    swap: total === 0 ? undefined : { availableBytes: free, usageBytes: total - free },
  };
}

/** Parses /proc/net/dev, without the loopback interface. */
export function parseInterfaces(text: string): readonly InterfaceReadings[] {
  return text.split("\n").flatMap((line) => {
    const [name = "", rest] = line.split(":", 2);
    if (rest === undefined || name.trim() === "lo") return [];
    const fields = rest.trim().split(/ +/).map(Number);
    const [rxBytes = 0, , rxErrors = 0, , , , , , txBytes = 0, , txErrors = 0] = fields;
    return fields.length < 16 ? [] : [{ name: name.trim(), rxBytes, rxErrors, txBytes, txErrors }];
  });
}

/** Parses /proc/net/route: the interface whose destination and mask are zero. */
export function defaultInterface(text: string): string | undefined {
  const routes = text.split("\n").map((line) => line.split("\t"));
  return routes.find((route) => route[1] === "00000000" && route[7] === "00000000")?.[0];
}

function numberOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}
