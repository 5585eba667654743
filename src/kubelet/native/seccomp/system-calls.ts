import { absentInX32, aarch64, arm, common, time64, x32, x86, x86_64 } from "./system-call-tables.ts";

/** The system call interfaces that a table of numbers exists for. */
export type CallInterface = "x86_64" | "x86" | "x32" | "aarch64" | "arm";

/** The bit that an x32 call's number has (arch/x86/include/uapi/asm/unistd.h, `__X32_SYSCALL_BIT`). */
export const x32Bit = 0x4000_0000;

const texts: ReadonlyMap<CallInterface, readonly string[]> = new Map([
  ["x86_64", [x86_64, common]],
  ["x86", [x86, time64, common]],
  ["arm", [arm, time64, common]],
  ["aarch64", [aarch64, common]],
]);

const tables = new Map<CallInterface, ReadonlyMap<string, number>>();

/** Returns the numbers of an interface's system calls by name. */
export function systemCalls(of: CallInterface): ReadonlyMap<string, number> {
  let numbers = tables.get(of);
  if (numbers === undefined) {
    numbers = of === "x32" ? x32Numbers() : numbersIn(texts.get(of) ?? []);
    tables.set(of, numbers);
  }
  return numbers;
}

function numbersIn(tables: readonly string[]): Map<string, number> {
  const numbers = new Map<string, number>();
  let next = 0;
  for (const token of tables.flatMap((text) => text.trim().split(/\s+/))) {
    if (token.startsWith("@")) next = Number(token.slice(1));
    else numbers.set(token, next++);
  }
  return numbers;
}

/** The 64-bit calls, without those that x32 lacks, and with the numbers that x32 has for itself. */
function x32Numbers(): ReadonlyMap<string, number> {
  const numbers = new Map([...systemCalls("x86_64"), ...numbersIn([x32])]);
  for (const name of absentInX32.trim().split(/\s+/)) numbers.delete(name);
  return new Map([...numbers].map(([name, number]) => [name, number + x32Bit]));
}

/** A call through a multiplexer: `number` is the multiplexer's own, `selector` is its first argument. */
export interface MultiplexedCall {
  readonly number: number;
  readonly selector: number;
}

/** By selector, from 1 (include/uapi/linux/net.h). */
const socketCalls =
  "socket bind connect listen accept getsockname getpeername socketpair send recv sendto recvfrom shutdown " +
  "setsockopt getsockopt sendmsg recvmsg accept4 recvmmsg sendmmsg";
/** By selector (include/uapi/linux/ipc.h). */
const ipcCalls = [
  [1, "semop semget semctl semtimedop"],
  [11, "msgsnd msgrcv msgget msgctl"],
  [21, "shmat shmdt shmget shmctl"],
] as const;

const multiplexed: ReadonlyMap<string, MultiplexedCall> = new Map([
  ...selectors(102, 1, socketCalls),
  ...ipcCalls.flatMap(([first, names]) => selectors(117, first, names)),
]);

function selectors(number: number, first: number, names: string): [string, MultiplexedCall][] {
  return names.split(" ").map((name, i) => [name, { number, selector: first + i }]);
}

/** Returns the form that a call has in socketcall(2) or ipc(2), which only 32-bit x86 has here; undefined for none. */
export function multiplexedCall(of: CallInterface, name: string): MultiplexedCall | undefined {
  return of === "x86" ? multiplexed.get(name) : undefined;
}
