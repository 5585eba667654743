import { opcodes } from "./bpf-program.ts";
import type { CallInterface } from "./system-calls.ts";
import { systemCalls } from "./system-calls.ts";

/** An interpreter for the classic BPF of seccomp, which refuses what the kernel's checker refuses. */

/** A system call as `struct seccomp_data` has it, without the instruction pointer. */
export interface SystemCall {
  readonly number: number;
  readonly token: number;
  readonly args: readonly bigint[];
}

/** AUDIT_ARCH_* of linux/audit.h. */
export const tokens: Readonly<Record<CallInterface, number>> = {
  x86_64: 0xc000003e,
  x32: 0xc000003e,
  x86: 0x40000003,
  aarch64: 0xc00000b7,
  arm: 0x40000028,
};

/** Makes a call by its name. */
export function call(of: CallInterface, name: string, ...args: readonly (bigint | number)[]): SystemCall {
  const number = systemCalls(of).get(name);
  if (number === undefined) throw new Error(`${of} has no ${name}`);
  return { number, token: tokens[of], args: args.map(BigInt) };
}

/** The size of `struct seccomp_data`. */
const dataBytes = 64;

function dataOf({ number, token, args }: SystemCall): DataView {
  const data = new DataView(new ArrayBuffer(dataBytes));
  data.setUint32(0, number, true);
  data.setUint32(4, token, true);
  for (const [i, arg] of args.entries()) data.setBigUint64(16 + i * 8, arg, true);
  return data;
}

interface Instruction {
  readonly code: number;
  readonly jt: number;
  readonly jf: number;
  readonly k: number;
}

function instructionsOf(program: Uint8Array): readonly Instruction[] {
  const view = new DataView(program.buffer, program.byteOffset, program.byteLength);
  return Array.from({ length: program.byteLength / 8 }, (_, i) => ({
    code: view.getUint16(i * 8, true),
    jt: view.getUint8(i * 8 + 2),
    jf: view.getUint8(i * 8 + 3),
    k: view.getUint32(i * 8 + 4, true),
  }));
}

const known = new Set<number>(Object.values(opcodes));

/** Checks a program as the kernel does at its load (`bpf_check_classic`, `seccomp_check_filter`). */
function check(instructions: readonly Instruction[]): void {
  const { length } = instructions;
  if (length === 0 || length > 4096) throw new Error(`a program of ${length} instructions`);
  if (instructions[length - 1]?.code !== opcodes.return) throw new Error("the last instruction is no return");
  for (const [at, { code, jt, jf, k }] of instructions.entries()) {
    if (!known.has(code)) throw new Error(`unknown code ${code} at ${at}`);
    if (code === opcodes.load && (k % 4 !== 0 || k >= dataBytes)) throw new Error(`a load of ${k} at ${at}`);
    const farthest = code === opcodes.jump ? k : Math.max(jt, jf);
    if (at + farthest + 1 >= length && code !== opcodes.return)
      throw new Error(`a jump out of bounds at ${at}`);
  }
}

/** Returns the value that the program returns for a call, with the number of executed instructions. */
export function execute(
  program: Uint8Array,
  of: SystemCall,
): { readonly value: number; readonly steps: number } {
  const instructions = instructionsOf(program);
  check(instructions);
  const data = dataOf(of);
  let accumulator = 0;
  let steps = 0;
  for (let at = 0; ;) {
    const { code = -1, jt = 0, jf = 0, k = 0 } = instructions[at] ?? {};
    steps += 1;
    at += 1;
    if (code === opcodes.return) return { value: k, steps };
    if (code === opcodes.load) accumulator = data.getUint32(k, true);
    else if (code === opcodes.and) accumulator = (accumulator & k) >>> 0;
    else if (code === opcodes.jump) at += k;
    else at += compares(code, accumulator, k) ? jt : jf;
  }
}

function compares(code: number, accumulator: number, k: number): boolean {
  if (code === opcodes.jumpEqual) return accumulator === k;
  return code === opcodes.jumpGreater ? accumulator > k : accumulator >= k;
}

/** Returns the value that the program returns for a call. */
export function verdict(program: Uint8Array, of: SystemCall): number {
  return execute(program, of).value;
}

/** The values that filters return. */
export const verdicts = {
  allow: 0x7fff0000,
  log: 0x7ffc0000,
  trap: 0x30000,
  killThread: 0,
  killProcess: 0x80000000,
  errno: (errno: number) => 0x50000 + errno,
  trace: (message: number) => 0x7ff00000 + message,
} as const;
