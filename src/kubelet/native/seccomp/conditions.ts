import type { BpfProgram, Target } from "./bpf-program.ts";
import type { Condition } from "./profile.ts";

/** The offset of the arguments in `struct seccomp_data`. Each has 64 bits, the low half first. */
const firstArgument = 16;
const argumentBytes = 8;
const halfBytes = 4;
const allBits = 0xffff_ffff;

/**
 * Adds a comparison of an argument. With `words` 1, only the low halves are compared: the arguments of 32-bit
 * interfaces have no other, and a profile's -1 has 64 bits.
 */
export function addCondition(
  program: BpfProgram,
  { index, op, value, valueTwo }: Condition,
  words: 1 | 2,
  { yes, no }: { readonly yes: Target; readonly no: Target },
): Target {
  const half = { program, offset: firstArgument + index * argumentBytes, words };
  switch (op) {
    case "SCMP_CMP_EQ":
      return equal({ ...half, value, mask: everything, yes, no });
    case "SCMP_CMP_NE":
      return equal({ ...half, value, mask: everything, yes: no, no: yes });
    case "SCMP_CMP_MASKED_EQ":
      return equal({ ...half, value: valueTwo & value, mask: value, yes, no });
    case "SCMP_CMP_GT":
      return greater({ ...half, code: "jumpGreater", value, yes, no });
    case "SCMP_CMP_GE":
      return greater({ ...half, code: "jumpGreaterOrEqual", value, yes, no });
    case "SCMP_CMP_LE":
      return greater({ ...half, code: "jumpGreater", value, yes: no, no: yes });
    case "SCMP_CMP_LT":
      return greater({ ...half, code: "jumpGreaterOrEqual", value, yes: no, no: yes });
  }
}

const everything = 2n ** 64n - 1n;

interface Comparison {
  readonly program: BpfProgram;
  readonly offset: number;
  readonly words: 1 | 2;
  readonly value: bigint;
  readonly yes: Target;
  readonly no: Target;
}

const low = (value: bigint) => Number(BigInt.asUintN(32, value));
const high = (value: bigint) => Number(value >> 32n);

function equal(comparison: Comparison & { readonly mask: bigint }): Target {
  const { program, offset, words, value, mask, yes, no } = comparison;
  const next = equalWord(program, offset, { value: low(value), mask: low(mask) }, yes, no);
  if (words === 1) return next;
  return equalWord(program, offset + halfBytes, { value: high(value), mask: high(mask) }, next, no);
}

function equalWord(
  program: BpfProgram,
  offset: number,
  { value, mask }: { readonly value: number; readonly mask: number },
  yes: Target,
  no: Target,
): Target {
  if (mask === 0) return yes;
  program.compare("jumpEqual", value, yes, no);
  if (mask !== allBits) program.and(mask);
  return program.load(offset);
}

/** The high halves decide unless they are equal. */
function greater(comparison: Comparison & { readonly code: "jumpGreater" | "jumpGreaterOrEqual" }): Target {
  const { program, offset, words, code, value, yes, no } = comparison;
  program.compare(code, low(value), yes, no);
  const lowHalf = program.load(offset);
  if (words === 1) return lowHalf;
  const ifNotGreater = program.compare("jumpEqual", high(value), lowHalf, no);
  program.compare("jumpGreater", high(value), yes, ifNotGreater);
  return program.load(offset + halfBytes);
}
